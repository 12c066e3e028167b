# Compute-bound kernels: matrix products, attention and the measured peak of the machine.
megascale_module(kernels_dense
  SOURCES cpu/attention.cpp cpu/attention_backward.cpp cpu/attention_forward.cpp cpu/gemm.cpp cpu/gemm_peak.cpp cpu/peak.cpp ref/attention.cpp ref/gemm.cpp
  DEPENDS base
  LINK dnnl::dnnl PkgConfig::hwy
  SEPARATE)
# The inner loops are small, of constant size, and must be unrolled into registers.
if(NOT MEGASCALE_SANITIZE)  # instrumented code would unroll for minutes
  target_compile_options(megascale_kernels_dense PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3>)
endif()
if(MEGASCALE_OPENMP)
  target_link_libraries(megascale_kernels_dense PRIVATE OpenMP::OpenMP_CXX)
endif()
