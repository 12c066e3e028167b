# The Debian package: `cpack --config build/release/CPackConfig.cmake`. Its dependencies are those of the files in it
# (dpkg-shlibdeps).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME megascale)
set(CPACK_PACKAGE_VENDOR "The megascale authors")
set(CPACK_PACKAGE_CONTACT "The megascale authors <megascale@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "training of large language models as a static, verified step plan")
set(CPACK_PACKAGE_DESCRIPTION "A program, a C++ library and a Python package that train language models, dense and with experts, on
one core or on thousands of ranks. Memory, time and deadlocks of a job are known before it starts.")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)  # also lets the loader learn of libmegascale
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, python3-numpy")  # for the Python package
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, bash-completion, man-db")
include(CPack)
