# libmegascale: all that the public headers of include/megascale need, as one shared library. It exports their symbols only, so a
# program that links it needs none of the parts that megascale is built from.
include(GNUInstallDirs)
add_library(megascale_library SHARED $<TARGET_OBJECTS:megascale_api>)
add_library(megascale::megascale ALIAS megascale_library)
target_link_libraries(megascale_library PRIVATE megascale::api)
target_include_directories(megascale_library INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(megascale_library INTERFACE cxx_std_20)
# Version 0.x: another minor version may change the interface.
set_target_properties(megascale_library PROPERTIES OUTPUT_NAME megascale EXPORT_NAME megascale LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/libmegascale.map)
target_link_options(megascale_library PRIVATE -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/libmegascale.map)
if(NOT MEGASCALE_SANITIZE)  # the program brings the sanitizers' functions
  target_link_options(megascale_library PRIVATE -Wl,--no-undefined)
endif()
