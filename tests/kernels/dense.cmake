megascale_test(kernels_dense SOURCES attention_backward_test.cpp attention_dropout_test.cpp attention_reference_test.cpp attention_soft_cap_test.cpp attention_targets_test.cpp attention_test.cpp dot_rows_test.cpp few_rows_input_gradient_test.cpp gemm_test.cpp grouped_linear_test.cpp latent_decode_test.cpp matrix_unit_test.cpp peak_test.cpp DEPENDS kernels_dense)
# The products of the matrix unit over a stand-in for its tiles, so that they run on every processor with AVX-512.
if(MEGASCALE_HAS_MATRIX_UNIT)
  megascale_test(emulated_matrix_unit SOURCES gemm_test.cpp grouped_linear_test.cpp matrix_unit_test.cpp emulated_tiles/block.cpp emulated_tiles/tiles.cpp
    emulated_tiles/unit.cpp DEPENDS kernels_dense PREFIX emulated/)
  set_source_files_properties(emulated_tiles/block.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS
    "$<$<CXX_COMPILER_ID:GNU>:-O2;-Wno-uninitialized;-Wno-maybe-uninitialized>")
  set_source_files_properties(emulated_tiles/tiles.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS "-O3;-mfma")
endif()
if(MEGASCALE_OPENMP)
  foreach(test IN ITEMS kernels_dense emulated_matrix_unit)
    if(TARGET test_${test})
      target_link_libraries(test_${test} PRIVATE OpenMP::OpenMP_CXX)
    endif()
  endforeach()
endif()
