megascale_test(kernels_elementwise
  SOURCES activation_test.cpp cross_entropy_test.cpp elementwise_test.cpp embedding_test.cpp head_exchange_test.cpp norm_test.cpp
    optimizer_test.cpp rope_test.cpp simd_math_test.cpp
  DEPENDS kernels_elementwise
  LINK PkgConfig::hwy)
if(MEGASCALE_OPENMP)
  target_link_libraries(test_kernels_elementwise PRIVATE OpenMP::OpenMP_CXX)
endif()
