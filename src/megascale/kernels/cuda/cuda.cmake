# Kernels of NVIDIA devices. A build without MEGASCALE_CUDA can size and simulate plans for devices, but not prepare a kernel.
target_sources(megascale_kernels PRIVATE cuda/cudnn_parts.cpp cuda/gemm_choices.cpp cuda/random_operands.cpp)
if(NOT MEGASCALE_CUDA)
  target_sources(megascale_kernels PRIVATE cuda/functions/no_cuda.cpp)
  return()
endif()
set(kernel_sources activation attention cross_entropy dispatch_map document_mask drop_choices elementwise embedding float8_rows gates
    grouped_linear grouped_table head_exchange head_norm latent_heads norm norm_gradient optimizer preference quantise rope routed_rows router router_losses sort_tokens)
list(TRANSFORM kernel_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
list(TRANSFORM kernel_sources APPEND .cu)
# No -use_fast_math: tests compare the results with those of the CPU.
megascale_device_code(megascale_kernels_cuda ${kernel_sources})
target_sources(megascale_kernels PRIVATE
  cuda/functions/attention.cpp cuda/functions/elementwise.cpp cuda/functions/experts.cpp cuda/functions/float8.cpp cuda/functions/grouped.cpp cuda/functions/head_exchange.cpp
  cuda/functions/linear.cpp cuda/functions/loss.cpp cuda/functions/norm.cpp cuda/functions/optimizer.cpp cuda/functions/prepare.cpp
  cuda/functions/quantised.cpp cuda/functions/router.cpp cuda/gemm.cpp cuda/roofs.cpp)
if(CUDNN_FRONTEND_FOUND)
  # The frontend's headers are included as system headers, so that the compiler does not warn about them.
  add_library(megascale_cudnn STATIC cuda/cudnn_attention.cpp)
  target_include_directories(megascale_cudnn PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(megascale_cudnn SYSTEM PRIVATE ${CUDNN_FRONTEND_INCLUDE_DIR} ${CUDAToolkit_INCLUDE_DIRS})
  # nvrtc: the frontend's headers call it for engines that are not used here.
  target_link_libraries(megascale_cudnn PRIVATE megascale_cuda ${CUDNN_LIBRARY} CUDA::nvrtc CUDA::cudart_static fmt::fmt)
else()
  add_library(megascale_cudnn STATIC cuda/no_cudnn.cpp)
  target_include_directories(megascale_cudnn PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
endif()
if(CUTLASS_FOUND)
  # Instructions of Hopper alone (wgmma) need code for 90a; it runs on no other device.
  megascale_device_code(megascale_cutlass ${CMAKE_CURRENT_LIST_DIR}/cutlass_float8.cu ${CMAKE_CURRENT_LIST_DIR}/cutlass_grouped.cu)
  set_target_properties(megascale_cutlass PROPERTIES CUDA_ARCHITECTURES 90a-real)
  target_compile_options(megascale_cutlass PRIVATE -diag-suppress=20012)
  target_include_directories(megascale_cutlass SYSTEM PRIVATE ${CUTLASS_INCLUDE_DIR})
  target_link_libraries(megascale_cutlass PUBLIC megascale_kernels_cuda)  # which writes the table of products
else()
  add_library(megascale_cutlass STATIC cuda/no_cutlass.cpp)
  target_include_directories(megascale_cutlass PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
endif()
set_target_properties(megascale_cutlass PROPERTIES POSITION_INDEPENDENT_CODE ON)
set_target_properties(megascale_cudnn PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(megascale_kernels PUBLIC megascale_kernels_cuda megascale_cudnn megascale_cutlass CUDA::cublasLt CUDA::cudart_static)
