// The two kinds of memory of a rank. On the host the arena is accessed directly. On a device the
// host copies. For the initial state a device rank uses an image: host memory with the layout of
// the arena, of which only masters and moments are written and copied to the device.
#include "megascale/engine/rank_memory.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/engine/arena.h"
#include "megascale/engine/wide_weights.h"
#include "megascale/kernels/cpu/elementwise.h"

namespace megascale::engine {
namespace {

class HostMemory final : public RankMemory {
 public:
  explicit HostMemory(std::uint64_t nbytes) : arena_(nbytes) {}
  explicit HostMemory(std::span<std::byte> memory) : arena_(memory) {}
  [[nodiscard]] std::span<std::byte> arena() const noexcept override { return arena_.bytes(); }
  void read(std::span<std::byte> to, std::uint64_t offset) const override {
    std::copy_n(arena_.bytes().data() + offset, to.size(), to.data());
  }
  void write(std::uint64_t offset, std::span<const std::byte> from) override {
    std::copy(from.begin(), from.end(), arena_.bytes().data() + offset);
  }
  void copy_out(std::span<const SnapshotRange> ranges, std::byte* memory) const override {
    // Threads copy pieces of this many bytes: long enough for streaming copies, short enough to
    // divide the work evenly.
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 20U;
    std::vector<SnapshotRange> pieces;
    for (const SnapshotRange& range : ranges) {
      MEGASCALE_CHECK(!range.narrow, "the CPU has float32 weights only");
      for (std::uint64_t done = 0; done < range.nbytes; done += kPiece) {
        pieces.push_back({.arena_offset = range.arena_offset + done,
                          .nbytes = std::min(kPiece, range.nbytes - done),
                          .begin = range.begin + done});
      }
    }
    const std::byte* arena = arena_.bytes().data();
#pragma omp parallel for schedule(static) default(none) shared(pieces, arena, memory)
    for (const SnapshotRange& piece : pieces)
      std::copy_n(arena + piece.arena_offset, piece.nbytes, memory + piece.begin);
  }
  [[nodiscard]] std::byte* state(const plan::ModelState&) override { return arena_.bytes().data(); }
  void put_state(const plan::ModelState&, const graph::AxisSizes&, const graph::Coordinates&,
                 Moments) override {}

 private:
  Arena arena_;
};

class DeviceRankMemory final : public RankMemory {
 public:
  explicit DeviceRankMemory(std::uint64_t nbytes) : own_(nbytes), arena_(own_.bytes()) {}
  explicit DeviceRankMemory(std::span<std::byte> memory) : arena_(memory) {}
  [[nodiscard]] std::span<std::byte> arena() const noexcept override { return arena_; }
  void read(std::span<std::byte> to, std::uint64_t offset) const override {
    cuda::copy_to_host(to, arena_.data() + offset);
  }
  void write(std::uint64_t offset, std::span<const std::byte> from) override {
    cuda::copy_to_device(arena_.data() + offset, from);
  }

  void copy_out(std::span<const SnapshotRange> ranges, std::byte* memory) const override {
    for (const SnapshotRange& range : ranges) {
      std::byte* const to = memory + range.begin;
      if (range.narrow) {
        widen(*range.narrow, {reinterpret_cast<float*>(to), range.nbytes / sizeof(float)});
      } else {
        read({to, range.nbytes}, range.arena_offset);
      }
    }
  }
  [[nodiscard]] std::byte* state(const plan::ModelState& layout) override {
    if (!image_) {
      // Gradients, and parameters of buckets with masters, lie between the kept buffers. They are
      // never written, so their pages take no memory.
      std::uint64_t nbytes = 0, kept = 0;
      for_each_kept(layout, [&](const plan::Buffer& buffer, bool) {
        nbytes = std::max(nbytes, buffer.offset + buffer.nbytes);
        kept += buffer.nbytes;
      });
      for (const plan::FlatBucket& bucket : layout.buckets) {
        if (WideWeights::is_wide(bucket)) kept += bucket.kept_numel() * sizeof(float);
      }
      nbytes = std::max(nbytes, WideWeights(layout).end());
      image_.emplace(nbytes, std::min(kept, nbytes));
    }
    return image_->bytes().data();
  }
  void put_state(const plan::ModelState& layout, const graph::AxisSizes& axes,
                 const graph::Coordinates& coordinates, Moments moments) override {
    for_each_kept(layout, [&](const plan::Buffer& buffer, bool is_moment) {
      if (is_moment && moments == Moments::zero) {
        cuda::fill_zero(arena_.subspan(buffer.offset, buffer.nbytes));
      } else {
        write(buffer.offset, {state(layout) + buffer.offset, buffer.nbytes});
      }
    });
    const WideWeights wide(layout);
    for (std::size_t b = 0; b < layout.buckets.size(); ++b) {
      const plan::FlatBucket& bucket = layout.buckets[b];
      if (const auto offset = wide.offset(b)) {
        round(layout, bucket, {values(layout, *offset), bucket.kept_numel()}, 0);
      } else if (bucket.masters != bucket.parameters) {
        round_masters(layout, bucket, axes, coordinates);
      }
    }
    image_.reset();
  }

 private:
  // Calls `visit` for every buffer that checkpoints hold and that initial values are drawn for.
  template <class Visit>
  static void for_each_kept(const plan::ModelState& layout, const Visit& visit) {
    for (const plan::FlatBucket& bucket : layout.buckets) {
      if (!WideWeights::is_wide(bucket)) visit(layout.buffers[plan::index(bucket.masters)], false);
      if (!layout.training || !bucket.is_trained()) continue;
      visit(layout.buffers[plan::index(bucket.first_moment)], true);
      visit(layout.buffers[plan::index(bucket.second_moment)], true);
    }
  }
  // Writes this rank's shard of the bucket's parameters, rounded from the masters. Plans gather the
  // shards of the other ranks before they read parameters.
  void round_masters(const plan::ModelState& layout, const plan::FlatBucket& bucket,
                     const graph::AxisSizes& axes, const graph::Coordinates& coordinates) {
    const std::uint64_t shard =
        bucket.shards > 1 ? bucket.summed_over.group_index(axes, coordinates) : 0;
    const float* masters = values(layout, layout.buffers[plan::index(bucket.masters)].offset);
    round(layout, bucket, {masters, bucket.shard_numel()},
          bucket.divided ? 0 : shard * bucket.shard_numel());
  }
  // Writes parameters of the bucket, from element `first` on, rounded from `from`.
  void round(const plan::ModelState& layout, const plan::FlatBucket& bucket,
             std::span<const float> from, std::uint64_t first) {
    MEGASCALE_CHECK(bucket.dtype == DType::bfloat16, "weights are rounded to bfloat16 only");
    std::vector<std::uint16_t> rounded(from.size());
    kernels::cpu::to_bfloat16(rounded, from);
    write(layout.buffers[plan::index(bucket.parameters)].offset + first * sizeof(std::uint16_t),
          std::as_bytes(std::span(rounded)));
  }
  // Returns values of the image.
  [[nodiscard]] const float* values(const plan::ModelState& layout, std::uint64_t offset) {
    return reinterpret_cast<const float*>(state(layout) + offset);
  }
  // Reads bfloat16 values of the arena: the upper halves of float32.
  void widen(std::uint64_t offset, std::span<float> to) const {
    std::vector<std::uint16_t> narrow(to.size());
    read(std::as_writable_bytes(std::span(narrow)), offset);
    std::transform(narrow.begin(), narrow.end(), to.begin(), [](std::uint16_t value) {
      return std::bit_cast<float>(std::uint32_t{value} << 16U);
    });
  }

  cuda::DeviceMemory own_;
  std::span<std::byte> arena_;
  std::optional<Arena> image_;
};

}  // namespace

std::unique_ptr<RankMemory> make_host_memory(std::uint64_t arena_nbytes,
                                             std::span<std::byte> memory) {
  if (memory.empty()) return std::make_unique<HostMemory>(arena_nbytes);
  return std::make_unique<HostMemory>(memory);
}

std::unique_ptr<RankMemory> make_device_memory(std::uint64_t arena_nbytes, std::uint32_t device,
                                               std::span<std::byte> memory) {
  cuda::use_device(device);
  if (!memory.empty()) return std::make_unique<DeviceRankMemory>(memory);
  try {
    return std::make_unique<DeviceRankMemory>(arena_nbytes);
  } catch (Error& error) {
    error.add_context(
        "taking the arena of the plan; `megascale plan` shows what it is for (a smaller "
        "train.micro_batch_size, [recompute] or parallel.zero_stage need less)");
    throw;
  }
}

}  // namespace megascale::engine
