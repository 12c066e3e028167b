# Compute-bound kernels: matrix products, attention and the measured peak of the machine.
# The matrix unit of x86 processors is built if the compiler supports it; run-time code checks the processor.
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("
  #include <immintrin.h>
  __attribute__((target(\"avx512bf16,amx-tile,amx-bf16\"))) void multiply() { _tile_dpbf16ps(0, 1, 2); }
  int main() { return sizeof(__m512bh) == 64 ? 0 : 1; }" MEGASCALE_HAS_MATRIX_UNIT)
if(MEGASCALE_HAS_MATRIX_UNIT)
  set(matrix_unit cpu/matrix_unit/block.cpp cpu/matrix_unit/panels.cpp cpu/matrix_unit/part.cpp cpu/matrix_unit/product.cpp cpu/matrix_unit/unit.cpp)
  # g++ 12 warns of the undefined values in its own intrinsics.
  set_source_files_properties(${matrix_unit} PROPERTIES COMPILE_OPTIONS
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized;-Wno-maybe-uninitialized>")
else()
  set(matrix_unit cpu/matrix_unit/no_unit.cpp)
endif()
megascale_module(kernels_dense
  SOURCES cpu/attention.cpp cpu/attention_backward.cpp cpu/attention_forward.cpp cpu/decode_attention.cpp cpu/dot_rows.cpp cpu/few_rows.cpp cpu/few_rows_gradient.cpp cpu/few_rows_input_gradient.cpp cpu/gemm.cpp cpu/gemm_config.cpp
    cpu/gemm_peak.cpp cpu/grouped_linear.cpp cpu/latent_decode.cpp cpu/onednn_product.cpp cpu/peak.cpp ref/attention.cpp ref/gemm.cpp ${matrix_unit}
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
