// Which products of experts CUTLASS computes on a device, and the scratch that plans reserve for them. Builds
// without CUDA plan the same.
#include "megascale/kernels/cuda/cutlass_grouped.h"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <optional>

#include "megascale/graph/ops/ops.h"
#include "megascale/graph/ops/quantised_ops.h"
#include "megascale/kernels/kernel.h"

namespace megascale::kernels::cuda {
namespace {

// The scratch of grouped_linear with 8 experts.
std::uint64_t scratch(bool cutlass, DType dtype, std::int64_t in, std::int64_t out) {
  const std::array<std::optional<graph::Tensor>, 4> tensors{
      graph::Tensor{.shape = {graph::Dim(100), graph::Dim(in)}, .dtype = dtype},
      graph::Tensor{.shape = {graph::Dim(8), graph::Dim(out), graph::Dim(in)}, .dtype = dtype},
      graph::Tensor{.shape = {graph::Dim(8)}, .dtype = DType::int64},
      graph::Tensor{.shape = {graph::Dim(100), graph::Dim(out)}, .dtype = dtype}};
  return find_kernel("grouped_linear", Device::cuda)
      ->scratch_bytes({.def = &graph::grouped_linear_op(), .tensors = tensors, .cutlass = cutlass});
}

TEST(CutlassGroupedTest, PlansReserveItsWorkspaceForWhatItServes) {
  EXPECT_EQ(scratch(true, DType::bfloat16, 64, 24), cutlass_workspace_bytes(8));
  EXPECT_EQ(scratch(false, DType::bfloat16, 64, 24), 0U);
  EXPECT_EQ(scratch(true, DType::float32, 64, 24), 0U);
  EXPECT_EQ(scratch(true, DType::bfloat16, 60, 24), 0U);
  EXPECT_EQ(scratch(true, DType::bfloat16, 64, 20), 0U);
}

// 8-bit operands: the input gradient has its weight transposed. Our own kernel needs no scratch.
TEST(CutlassGroupedTest, PlansReserveItsWorkspaceForProductsOf8BitOperands) {
  using graph::Dim;
  const auto scratch_of = [](const graph::OpDef& def, bool cutlass) {
    const std::array<std::optional<graph::Tensor>, 6> tensors{
        graph::Tensor{.shape = {Dim(100), Dim(64)}, .dtype = DType::uint8},
        graph::Tensor{.shape = {Dim(8), Dim(32), Dim(64)}, .dtype = DType::uint8},
        graph::Tensor{.shape = {Dim(8)}, .dtype = DType::int64},
        graph::Tensor{.shape = {Dim(4)}},
        graph::Tensor{.shape = {Dim(8), Dim(4)}},
        graph::Tensor{.shape = {Dim(100), Dim(32)}, .dtype = DType::bfloat16}};
    return find_kernel(def.name, Device::cuda)
        ->scratch_bytes({.def = &def, .tensors = tensors, .cutlass = cutlass});
  };
  for (const graph::OpDef* def : std::initializer_list<const graph::OpDef*>{
           &graph::quantised_grouped_linear_op(), &graph::quantised_grouped_input_gradient_op()}) {
    EXPECT_EQ(scratch_of(*def, true), cutlass_workspace_bytes(8));
    EXPECT_EQ(scratch_of(*def, false), 0U);
  }
}

TEST(CutlassGroupedTest, TheTableHasRoomForAllArrays) {
  for (const std::size_t experts : {1U, 8U, 11U, 256U}) {
    EXPECT_GE(grouped_table_bytes(experts), experts * (12 + 6 * 8 + 4));
    EXPECT_EQ(grouped_table_bytes(experts) % 128, 0U);
    EXPECT_EQ(cutlass_workspace_bytes(experts) % 128, 0U);
  }
}

}  // namespace
}  // namespace megascale::kernels::cuda
