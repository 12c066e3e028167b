# Every outside part, by Debian 12 package: scripts/install-dependencies lists them.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)
find_package(CLI11 REQUIRED)
# oneDNN's own CMake files ask for OpenCL's headers, which nothing here uses: found by hand.
find_library(DNNL_LIBRARY dnnl REQUIRED)
find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp REQUIRED)
add_library(dnnl::dnnl UNKNOWN IMPORTED)
set_target_properties(dnnl::dnnl PROPERTIES
  IMPORTED_LOCATION ${DNNL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${DNNL_INCLUDE_DIR})
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
# Tokenizers: patterns and normal forms of Unicode; optional: .model files.
pkg_check_modules(pcre2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(icu REQUIRED IMPORTED_TARGET icu-uc)
pkg_check_modules(SENTENCEPIECE IMPORTED_TARGET sentencepiece)
# Ranks as processes; optional.
pkg_check_modules(UCX IMPORTED_TARGET ucx)
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
# The control plane: calls between driver, executors and operators; the driver's record of a job.
pkg_check_modules(grpcpp REQUIRED IMPORTED_TARGET grpc++)
pkg_check_modules(protobuf REQUIRED IMPORTED_TARGET protobuf)
pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)
# Optional: large jobs meet in Redis instead of the embedded store.
pkg_check_modules(hiredis IMPORTED_TARGET hiredis)
# Optional: data sets on web servers.
pkg_check_modules(CURL IMPORTED_TARGET libcurl)
# Optional: jobs are handed over to Kubernetes through its API.
pkg_check_modules(httplib IMPORTED_TARGET cpp-httplib)
# Optional: steps are sent to Kafka.
pkg_check_modules(rdkafka IMPORTED_TARGET rdkafka)
if(MEGASCALE_OPENMP)
  find_package(OpenMP REQUIRED)
endif()
# Optional: the Python package. Debian's Python unless another one is named: numpy and pybind11 are packages of it, and another one
# may come first in PATH.
if(MEGASCALE_PYTHON)
  find_program(Python_EXECUTABLE python3 PATHS /usr/bin NO_DEFAULT_PATH)
  find_package(Python COMPONENTS Interpreter Development.Module)
  find_package(pybind11 CONFIG)
endif()
if(MEGASCALE_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
if(MEGASCALE_BENCH)
  find_package(benchmark REQUIRED)
endif()
if(MEGASCALE_CUDA)
  enable_language(CUDA)
  # CMake 3.25 does not know that nvcc has C++20.
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
  list(APPEND CMAKE_CUDA20_COMPILE_FEATURES cuda_std_20)
  find_package(CUDAToolkit 13 REQUIRED)
  find_path(CUDNN_INCLUDE_DIR cudnn.h REQUIRED HINTS ${CUDAToolkit_INCLUDE_DIRS})
  find_library(CUDNN_LIBRARY NAMES cudnn libcudnn.so.9 REQUIRED HINTS ${CUDAToolkit_LIBRARY_DIR})
  # Without its header ranks on devices are threads of one process; the library is opened at run time, by who needs it.
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  # cuDNN's graph API in C++ is headers of their own (github.com/NVIDIA/cudnn-frontend). Without them attention runs on our
  # own kernels, which do not use the matrix units.
  find_path(CUDNN_FRONTEND_INCLUDE_DIR cudnn_frontend.h HINTS ${PROJECT_SOURCE_DIR}/build/cudnn-frontend/include)
  if(CUDNN_FRONTEND_INCLUDE_DIR)
    set(CUDNN_FRONTEND_FOUND ON)
  else()
    message(WARNING "cudnn_frontend.h was not found (CUDNN_FRONTEND_INCLUDE_DIR): attention will be slow")
  endif()
  # CUTLASS is headers, too (github.com/NVIDIA/cutlass). Without them kernels.cutlass is refused.
  find_path(CUTLASS_INCLUDE_DIR cutlass/cutlass.h HINTS ${PROJECT_SOURCE_DIR}/build/cutlass/include)
  if(CUTLASS_INCLUDE_DIR)
    set(CUTLASS_FOUND ON)
  endif()
endif()
