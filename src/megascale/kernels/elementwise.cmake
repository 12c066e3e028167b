# Numeric kernels apart from GEMM and attention: memory-bound, on Highway and OpenMP; ref/ is header-only.
megascale_module(kernels_elementwise
  SOURCES cpu/activation.cpp cpu/bfloat16_gradients.cpp cpu/block_norm.cpp cpu/column_sum.cpp cpu/cross_entropy.cpp cpu/dispatch_map.cpp cpu/drop_choices.cpp cpu/dropout.cpp cpu/elementwise.cpp
    cpu/embedding.cpp cpu/float8.cpp cpu/float8_blocks.cpp cpu/head_exchange.cpp cpu/head_norm.cpp cpu/latent_heads.cpp cpu/norm.cpp cpu/optimizer.cpp cpu/preference.cpp cpu/rope.cpp cpu/routed_rows.cpp
    cpu/router.cpp cpu/router_losses.cpp cpu/soft_cap.cpp
  DEPENDS base
  LINK PkgConfig::hwy
  SEPARATE)
if(MEGASCALE_OPENMP)
  target_link_libraries(megascale_kernels_elementwise PRIVATE OpenMP::OpenMP_CXX)
endif()
