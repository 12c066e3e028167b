# What `cmake --install` installs: the program, libmegascale with its headers and CMake package, man pages, completion for shells,
# and what users copy from: configurations, clusters, documents, examples.
include(CMakePackageConfigHelpers)
install(TARGETS megascale RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS megascale_library EXPORT megascale LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/megascale DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/megascale)
install(EXPORT megascale NAMESPACE megascale:: DESTINATION ${package} FILE megascale-config.cmake)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/megascale-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/megascale-config-version.cmake DESTINATION ${package})

# The program writes its own pages and completion. An installation for another processor would need a program of this one.
set(written ${PROJECT_BINARY_DIR}/written)
install(CODE "
  execute_process(COMMAND \"$<TARGET_FILE:megascale>\" man --output \"${written}/man\" COMMAND_ERROR_IS_FATAL ANY)
  file(MAKE_DIRECTORY \"${written}/bash\" \"${written}/zsh\")
  execute_process(COMMAND \"$<TARGET_FILE:megascale>\" completion bash
                  OUTPUT_FILE \"${written}/bash/megascale\" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND \"$<TARGET_FILE:megascale>\" completion zsh
                  OUTPUT_FILE \"${written}/zsh/_megascale\" COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${written}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${written}/bash/megascale DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(CODE "
  set(functions site-functions)
  if(CMAKE_INSTALL_PREFIX MATCHES \"/usr$\")  # where Debian's packages put theirs
    set(functions vendor-completions)
  endif()
  file(INSTALL \"${written}/zsh/_megascale\"
       DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${functions}\")")

set(data ${CMAKE_INSTALL_DATADIR}/megascale)
install(DIRECTORY configs clusters examples DESTINATION ${data} USE_SOURCE_PERMISSIONS)
# As in the repository, so that the links of README.md lead to the pages.
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")
install(FILES README.md LICENSE SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
