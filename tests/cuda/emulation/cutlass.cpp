// Grouped products as CUTLASS computes them, by plain loops over the table on the device. It checks
// what TMA needs of addresses and strides.
#include <cstring>
#include <optional>

#include "cuda/emulation/emulation.h"
#include "cuda/emulation/numbers.h"
#include "megascale/kernels/cuda/cutlass_grouped.h"

namespace megascale::kernels::cuda {
namespace {

using emulation::of_bfloat16, emulation::to_bfloat16;

// How the elements of an operand lie in memory.
enum class Items : std::uint8_t { bfloat16, e4m3, e5m2 };

// An element of an operand whose rows are `stride` elements apart.
float element(Items items, const void* operand, std::size_t stride, std::size_t row,
              std::size_t column) {
  const std::size_t at = row * stride + column;
  if (items == Items::bfloat16) return of_bfloat16(static_cast<const std::uint16_t*>(operand)[at]);
  return emulation::of_float8(static_cast<const std::uint8_t*>(operand)[at], items == Items::e5m2);
}

void check_rules(const GroupedProduct& a, const GroupedTable& t, std::size_t e) {
  for (const void* address : {t.left[e], t.right[e], static_cast<const void*>(t.result[e])})
    MEGASCALE_CHECK(emulation::is_aligned(address, 16), "TMA: an address is not a multiple of 16");
  for (const std::int64_t stride : {t.left_stride[e], t.right_stride[e]})
    MEGASCALE_CHECK(stride % (a.fp8 ? 16 : 8) == 0, "TMA: a row is not a multiple of 16 bytes");
  const std::size_t result_item =
      a.kind == GemmKind::weight_gradient ? sizeof(float) : sizeof(std::uint16_t);
  MEGASCALE_CHECK(static_cast<std::size_t>(t.result_stride[e]) * result_item % 16 == 0,
                  "TMA: a row of the result is not a multiple of 16 bytes");
}

void multiply(const GroupedProduct& a, const GroupedTable& t) {
  const bool of_weights = a.kind == GemmKind::weight_gradient;
  // Hopper multiplies 8-bit operands only with the terms side by side.
  const bool terms_side_by_side = a.kind == GemmKind::forward || a.fp8;
  const Items right_items = a.fp8 ? Items::e4m3 : Items::bfloat16,
              left_items = a.fp8 && a.kind != GemmKind::forward ? Items::e5m2 : right_items;
  for (std::size_t e = 0; e < a.experts; ++e) {
    check_rules(a, t, e);
    const auto m = static_cast<std::size_t>(t.sizes[e].m),
               n = static_cast<std::size_t>(t.sizes[e].n),
               k = static_cast<std::size_t>(t.sizes[e].k);
    const auto left = static_cast<std::size_t>(t.left_stride[e]),
               right = static_cast<std::size_t>(t.right_stride[e]),
               stride = static_cast<std::size_t>(t.result_stride[e]);
    MEGASCALE_CHECK(m == 0 || k > 0, "CUTLASS does not clear the sums of no terms");
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::size_t at = 0; at < k; ++at) {
          const float x = of_weights ? element(left_items, t.left[e], left, at, i)
                                     : element(left_items, t.left[e], left, i, at);
          const float y = terms_side_by_side ? element(right_items, t.right[e], right, j, at)
                                             : element(right_items, t.right[e], right, at, j);
          sum += x * y;
        }
        if (a.fp8) sum *= t.factors[e];
        if (of_weights) {
          float& result = static_cast<float*>(t.result[e])[i * stride + j];
          result = a.accumulate ? result + sum : sum;
        } else {
          static_cast<std::uint16_t*>(t.result[e])[i * stride + j] = to_bfloat16(sum);
        }
      }
    }
  }
}

class TableProducts final : public CutlassGrouped {
 public:
  const Error* run(const GroupedProduct& a, std::byte* workspace,
                   CUstream_st* stream) noexcept override {
    if (emulation::is_refused("cutlassGemmRun"))
      return refuse("CUTLASS: cannot run grouped products: refused");
    if (workspace == nullptr || !emulation::is_aligned(workspace, 128))
      return refuse("CUTLASS: cannot run grouped products: its workspace is not a multiple of 128");
    const std::size_t nbytes = cutlass_workspace_bytes(a.experts);
    // Products leave nothing for each other.
    emulation::enqueue(stream, [=] { std::memset(workspace, 0xFF, nbytes); });
    const GroupedTable table = place_grouped_table(workspace, a.experts);
    write_grouped_table(a, table, stream);
    emulation::enqueue(stream, [=] { multiply(a, table); });
    return nullptr;
  }

 private:
  const Error* refuse(const char* why) {
    error_.emplace(ErrorCode::failed, why);
    return &*error_;
  }
  std::optional<Error> error_;
};

}  // namespace

std::unique_ptr<CutlassGrouped> CutlassGrouped::make(const GroupedProduct& shape) {
  if (!cutlass_serves(shape) || emulation::is_refused("cutlassGemmInitialize")) {
    throw Error(ErrorCode::failed,
                "CUTLASS refuses these grouped products; kernels.cutlass = false runs our own");
  }
  return std::make_unique<TableProducts>();
}

}  // namespace megascale::kernels::cuda
