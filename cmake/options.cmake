# How everything is compiled. One interface target carries the standard, the warnings and the sanitizers.
# A project that adds this one with add_subdirectory keeps its own build type, warnings and ways to compile.
option(MEGASCALE_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(MEGASCALE_BENCH "Build the micro-benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(MEGASCALE_INSTALL "Install the program, the library and the documents" ${PROJECT_IS_TOP_LEVEL})
option(MEGASCALE_PYTHON "Build the Python package where pybind11 is installed" ${PROJECT_IS_TOP_LEVEL})
set(MEGASCALE_SANITIZE "" CACHE STRING "Sanitizers: empty, 'address,undefined' or 'thread'")
option(MEGASCALE_LIBFUZZER "Build the fuzz programs with clang's libFuzzer (the preset fuzz)" OFF)
# libgomp is not instrumented: ThreadSanitizer reports races that are none inside its teams.
option(MEGASCALE_OPENMP "Let kernels use an OpenMP team" ON)

# Asked for, never found by chance: a build without it compiles nothing of it (docs/decisions/0012-cuda.md).
option(MEGASCALE_CUDA "Build the CUDA back end (the preset cuda)" OFF)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Sources of a target are compiled eight at a time: they share what headers cost, and a build from nothing takes two thirds
# of the time. OFF suits work on one file.
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_UNITY_BUILD ON CACHE BOOL "Compile the sources of a target together")
endif()
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(megascale_options INTERFACE)
add_library(megascale::options ALIAS megascale_options)
target_include_directories(megascale_options INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
# -ffp-contract=off: the same source gives the same bits at every inlining decision and on every target.
target_compile_options(megascale_options INTERFACE
  -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wnon-virtual-dtor -Wold-style-cast -ffp-contract=off)
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(megascale_options INTERFACE -Werror)
endif()
if(NOT MEGASCALE_OPENMP)  # loops with pragmas of OpenMP run as they stand
  target_compile_options(megascale_options INTERFACE -Wno-unknown-pragmas)
endif()
if(MEGASCALE_SANITIZE)
  target_compile_options(megascale_options INTERFACE
    -fsanitize=${MEGASCALE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1
    -D_GLIBCXX_ASSERTIONS
    # g++ 12 takes what sanitizers add (to a copied variant, to std::regex) for uses of uninitialized memory. Builds without
    # them keep the warning.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(megascale_options INTERFACE -fsanitize=${MEGASCALE_SANITIZE})
endif()
if(MEGASCALE_LIBFUZZER)  # every library tells the fuzzer which of its branches an input took
  target_compile_options(megascale_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
