# Task functions over the numeric kernels, and the table by which ops find them.
megascale_module(kernels
  SOURCES cpu/functions/attention.cpp cpu/functions/elementwise.cpp cpu/functions/experts.cpp cpu/functions/float8.cpp cpu/functions/float8_parameters.cpp cpu/functions/head_exchange.cpp cpu/functions/latent_decode.cpp cpu/functions/linear.cpp
    cpu/functions/loss.cpp cpu/functions/norm.cpp cpu/functions/optimizer.cpp cpu/functions/plain.cpp cpu/functions/router.cpp cuda/functions/table.cpp
    expert_functions.cpp registry.cpp shard_segments.cpp
  DEPENDS graph kernels_dense kernels_elementwise kernels_plain cuda
  SEPARATE)
if(MEGASCALE_OPENMP)
  target_link_libraries(megascale_kernels PRIVATE OpenMP::OpenMP_CXX)
endif()
include(cuda/cuda.cmake)
