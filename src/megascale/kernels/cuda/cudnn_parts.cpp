// Divides attention into calls of cuDNN. Parts are equal, so that one graph serves all of them, and
// differ only in their addresses.
#include "megascale/kernels/cuda/cudnn_parts.h"

namespace megascale::kernels::cuda {
namespace {

// Returns the largest divisor of `whole` that is smaller than `part`; part > 1.
std::size_t next_divisor(std::size_t whole, std::size_t part) {
  do --part;
  while (whole % part != 0);
  return part;
}

constexpr std::size_t kItem = itemsize(DType::bfloat16);

std::byte* at(const void* data, std::size_t element, std::size_t item) {
  return static_cast<std::byte*>(const_cast<void*>(data)) + element * item;
}

// The addresses within a tensor that is laid out as qkv, and those of the other tensors.
struct Place {
  std::size_t q, k, v, o, stats;
};
Place place_of(const AttentionShape& s, std::size_t batch, std::size_t kv_head) {
  const std::size_t head = kv_head * (s.query_heads / s.kv_heads);
  const std::size_t row = batch * s.sequence * s.row();
  return {.q = row + head * s.head_size,
          .k = row + (s.query_heads + kv_head) * s.head_size,
          .v = row + (s.query_heads + s.kv_heads + kv_head) * s.head_size,
          .o = (batch * s.sequence * s.query_heads + head) * s.head_size,
          .stats = (batch * s.query_heads + head) * s.sequence};
}

}  // namespace

AttentionPart cudnn_part(const AttentionShape& shape, Direction direction, bool deterministic,
                         bool masked) noexcept {
  CudnnCall call{shape, {shape.batch, shape.kv_heads}, direction, deterministic, masked};
  while (cudnn_workspace_bytes(call) + cudnn_mask_bytes(call) > kMostCudnnWorkspace &&
         call.part.batch > 1)
    call.part.batch = next_divisor(shape.batch, call.part.batch);
  while (cudnn_workspace_bytes(call) > kMostCudnnWorkspace && call.part.kv_heads > 1)
    call.part.kv_heads = next_divisor(shape.kv_heads, call.part.kv_heads);
  return call.part;
}

std::size_t cudnn_workspace_bytes(const CudnnCall& call) noexcept {
  constexpr std::size_t kSlack = std::size_t{64} << 20U;
  if (call.direction == Direction::forward) return kSlack;
  const AttentionShape& s = call.shape;
  const std::size_t heads = call.part.batch * call.part.kv_heads * (s.query_heads / s.kv_heads);
  const std::size_t padded = (s.sequence + 127) / 128 * 128;
  const std::size_t scores = call.deterministic ? heads * padded * padded * kItem : 0;
  return scores + 3 * heads * s.sequence * s.head_size * sizeof(float) +
         4 * heads * s.sequence * sizeof(float) + kSlack;
}

std::size_t cudnn_mask_bytes(const CudnnCall& call) noexcept {
  if (!call.masked) return 0;
  return (call.part.batch * call.shape.sequence * call.shape.sequence * kItem + 255) / 256 * 256;
}

CudnnAddresses addresses_of(const AttentionShape& shape, const AttentionForward& run,
                            std::size_t batch, std::size_t kv_head) noexcept {
  const Place place = place_of(shape, batch, kv_head);
  return {.q = at(run.qkv, place.q, kItem),
          .k = at(run.qkv, place.k, kItem),
          .v = at(run.qkv, place.v, kItem),
          .o = at(run.o, place.o, kItem),
          .stats = at(run.lse, place.stats, sizeof(float))};
}

CudnnAddresses addresses_of(const AttentionShape& shape, const AttentionBackward& run,
                            std::size_t batch, std::size_t kv_head) noexcept {
  const Place place = place_of(shape, batch, kv_head);
  return {.q = at(run.qkv, place.q, kItem),
          .k = at(run.qkv, place.k, kItem),
          .v = at(run.qkv, place.v, kItem),
          .o = at(run.o, place.o, kItem),
          .stats = at(run.lse, place.stats, sizeof(float)),
          .grad_o = at(run.grad_o, place.o, kItem),
          .grad_q = at(run.grad_qkv, place.q, kItem),
          .grad_k = at(run.grad_qkv, place.k, kItem),
          .grad_v = at(run.grad_qkv, place.v, kItem)};
}

}  // namespace megascale::kernels::cuda
