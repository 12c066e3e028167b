megascale_test(kernels_dense SOURCES attention_backward_test.cpp attention_dropout_test.cpp attention_reference_test.cpp attention_soft_cap_test.cpp attention_targets_test.cpp attention_test.cpp dot_rows_test.cpp few_rows_input_gradient_test.cpp gemm_test.cpp grouped_linear_test.cpp matrix_unit_test.cpp peak_test.cpp DEPENDS kernels_dense)
if(MEGASCALE_OPENMP)
  target_link_libraries(test_kernels_dense PRIVATE OpenMP::OpenMP_CXX)
endif()
