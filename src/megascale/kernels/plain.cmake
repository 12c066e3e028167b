# The plain kernel set, as in frameworks without fused kernels: single operations over arrays, on Highway, oneDNN, OpenMP.
megascale_module(kernels_plain
  SOURCES cpu/plain/activation.cpp cpu/plain/array.cpp cpu/plain/attention.cpp cpu/plain/norm.cpp
  DEPENDS base kernels_dense kernels_elementwise
  LINK PkgConfig::hwy
  SEPARATE)
if(MEGASCALE_OPENMP)
  target_link_libraries(megascale_kernels_plain PRIVATE OpenMP::OpenMP_CXX)
endif()
