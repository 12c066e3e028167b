#ifndef MEGASCALE_TESTS_KERNELS_OPERATION_H_
#define MEGASCALE_TESTS_KERNELS_OPERATION_H_

#include <gtest/gtest.h>

#include <vector>

#include "kernels/dense_support.h"
#include "megascale/kernels/cpu/team.h"
#include "megascale/kernels/kernel.h"

namespace megascale::testing {

// An op kind's task function as a plan would run it, over vectors.
class Operation {
 public:
  // Operands as [rows, columns] or [columns], of absent ones []; all float32.
  Operation(const graph::OpDef& def, std::vector<graph::Shape> shapes,
            graph::Attributes attributes = {}, kernels::KernelSet set = kernels::KernelSet::fused)
      : def_(&def), attributes_(std::move(attributes)), set_(set) {
    for (graph::Shape& shape : shapes) {
      if (shape.empty()) {
        tensors_.emplace_back();
        nbytes_.push_back(0);
        continue;
      }
      tensors_.emplace_back(graph::Tensor{.shape = std::move(shape)});
      nbytes_.push_back(static_cast<std::uint64_t>(tensors_.back()->nbytes()));
    }
  }
  void run(std::vector<std::vector<float>*> operands, bool first) {
    const kernels::Kernel* kernel = kernels::find_kernel(def_->name, kernels::Device::cpu, set_);
    ASSERT_NE(kernel, nullptr);
    kernels::KernelSpec spec{.def = def_,
                             .attributes = &attributes_,
                             .tensors = tensors_,
                             .nbytes = nbytes_,
                             .threads = kernels::cpu::team_size()};
    if (kernel->scratch_bytes != nullptr) spec.scratch_nbytes = kernel->scratch_bytes(spec);
    const PoisonedScratch scratch(spec.scratch_nbytes);
    std::vector<std::byte*> addresses;
    for (auto* operand : operands) {
      addresses.push_back(operand == nullptr ? nullptr
                                             : reinterpret_cast<std::byte*>(operand->data()));
    }
    if (spec.scratch_nbytes > 0) addresses.push_back(scratch.data());
    EXPECT_EQ(kernels::prepare(*kernel, spec)->run({.operands = addresses, .first = first}),
              nullptr);
    EXPECT_TRUE(scratch.guard_is_whole()) << def_->name;
  }

 private:
  const graph::OpDef* def_;
  graph::Attributes attributes_;
  kernels::KernelSet set_;
  std::vector<std::optional<graph::Tensor>> tensors_;
  std::vector<std::uint64_t> nbytes_;
};

// L = sum of weights x y in double; its gradient by y is `weights`.
inline double weighted_sum(const std::vector<float>& y, const std::vector<float>& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += double{y[i]} * double{weights[i]};
  return sum;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_KERNELS_OPERATION_H_
