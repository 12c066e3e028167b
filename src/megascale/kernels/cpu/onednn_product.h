#ifndef MEGASCALE_KERNELS_CPU_ONEDNN_PRODUCT_H_
#define MEGASCALE_KERNELS_CPU_ONEDNN_PRODUCT_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "megascale/kernels/cpu/gemm.h"

namespace megascale::kernels::cpu {

// A product of gemm.h by oneDNN's matmul, cut into parts along one extent; each part is a
// primitive. The configuration must have its strides and threads filled in (gemm_config.h). The
// contracts of run(), threads and scratch are those of Gemm. The constructor and scratch_bytes()
// throw Error(unsupported) or Error(out_of_memory).
class OnednnProduct {
 public:
  explicit OnednnProduct(const GemmConfig& config);
  ~OnednnProduct();
  OnednnProduct(OnednnProduct&&) noexcept;
  OnednnProduct& operator=(OnednnProduct&&) noexcept;

  [[nodiscard]] static std::size_t scratch_bytes(const GemmConfig& config);
  void run(const GemmOperands& operands) const noexcept;  // NOLINT(bugprone-exception-escape)

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_ONEDNN_PRODUCT_H_
