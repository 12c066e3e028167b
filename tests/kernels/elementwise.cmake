megascale_test(kernels_elementwise
  SOURCES activation_test.cpp bfloat16_gradients_test.cpp cross_entropy_test.cpp dispatch_map_test.cpp drop_choices_test.cpp dropout_test.cpp elementwise_test.cpp embedding_test.cpp float8_blocks_test.cpp float8_test.cpp head_exchange_test.cpp head_norm_test.cpp latent_heads_test.cpp norm_test.cpp
    optimizer_test.cpp preference_test.cpp rope_test.cpp routed_rows_test.cpp router_losses_test.cpp router_test.cpp simd_math_test.cpp
  DEPENDS kernels_elementwise
  LINK PkgConfig::hwy)
# It is compiled once per vector target, and so never together with others.
set_source_files_properties(simd_math_test.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
if(MEGASCALE_OPENMP)
  target_link_libraries(test_kernels_elementwise PRIVATE OpenMP::OpenMP_CXX)
endif()
