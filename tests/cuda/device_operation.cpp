#include "cuda/device_operation.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <span>

#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"
#include "megascale/kernels/cpu/team.h"

namespace megascale::testing {
namespace {

constexpr std::size_t kCanary = 256;
// Memory that nobody has written, by the place of a byte. As a number it is a NaN that arithmetic
// changes to another one, so what is computed from it differs from it.
constexpr std::byte poison(std::size_t at) { return std::byte(at % 2 == 0 ? 0xA5 : 0xFF); }

float to_bfloat16_and_back(float value) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  bits = (bits + 0x7FFFU + ((bits >> 16U) & 1U)) & 0xFFFF0000U;
  return std::bit_cast<float>(bits);
}

double rounded(double value, DType dtype) {
  if (dtype == DType::float64) return value;
  const auto single = static_cast<float>(value);
  return dtype == DType::bfloat16 ? to_bfloat16_and_back(single) : single;
}

void store(std::byte* to, DType dtype, double value) {
  const auto put = [&](auto number) { std::memcpy(to, &number, sizeof number); };
  switch (dtype) {
    case DType::float64:
      return put(value);
    case DType::int32:
      return put(static_cast<std::int32_t>(value));
    case DType::int64:
      return put(static_cast<std::int64_t>(value));
    case DType::uint8:
      return put(static_cast<std::uint8_t>(value));
    case DType::bfloat16:
      return put(static_cast<std::uint16_t>(
          std::bit_cast<std::uint32_t>(to_bfloat16_and_back(static_cast<float>(value))) >> 16U));
    default:
      return put(static_cast<float>(value));
  }
}

double load(const std::byte* from, DType dtype) {
  const auto get = [&](auto number) {
    std::memcpy(&number, from, sizeof number);
    return number;
  };
  switch (dtype) {
    case DType::float64:
      return get(double{});
    case DType::int32:
      return get(std::int32_t{});
    case DType::int64:
      return static_cast<double>(get(std::int64_t{}));
    case DType::uint8:
      return get(std::uint8_t{});
    case DType::bfloat16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(get(std::uint16_t{})) << 16U);
    default:
      return get(float{});
  }
}

// The operands of a case in one piece of memory, each followed by a canary, scratch last.
class Layout {
 public:
  Layout(const OpCase& op, DType storage, kernels::Device device) : op_(&op) {
    for (const OperandOf& operand : op.operands) {
      const bool present = !operand.shape.empty();
      // The CPU computes in float32 whatever is tested.
      const DType tested = device == kernels::Device::cpu ? DType::float32 : storage;
      dtypes_.push_back(operand.dtype.value_or(tested));
      counts_.push_back(present ? static_cast<std::size_t>(graph::numel(operand.shape)) : 0);
      nbytes_.push_back(counts_.back() * itemsize(dtypes_.back()));
      tensors_.emplace_back();
      if (present && op.segments.empty() && !op.def->operands.empty())
        tensors_.back() = graph::Tensor{.shape = operand.shape, .dtype = dtypes_.back()};
    }
    for (const std::size_t operand : op.counted) {
      counted_.push_back({.operand = static_cast<std::uint16_t>(operand),
                          .count_operand = static_cast<std::uint16_t>(op.operands.size()),
                          .first = 1,
                          .terms = static_cast<std::uint32_t>(op.counts.size())});
    }
    spec_ = {.def = op.def,
             .attributes = &op.attributes,
             .tensors = tensors_,
             .nbytes = nbytes_,
             .segments = op.segments,
             .counted = counted_,
             .axes = op.axes,
             .coordinates = op.coordinates,
             .cutlass = op.cutlass,
             .threads = kernels::cpu::team_size()};
    kernel_ = kernels::find_kernel(op.def->name, device);
    if (kernel_ == nullptr) throw Error(ErrorCode::unsupported, op.name + ": no kernel");
    if (kernel_->scratch_bytes != nullptr) spec_.scratch_nbytes = kernel_->scratch_bytes(spec_);
    std::size_t offset = 0;
    const auto place = [&](std::size_t nbytes) {
      offsets_.push_back(offset);
      offset += (nbytes + kCanary + 255) / 256 * 256;
    };
    for (const std::size_t nbytes : nbytes_) place(nbytes);
    place(spec_.scratch_nbytes);
    if (!op.counts.empty()) place((op.counts.size() + 1) * sizeof(std::int64_t));
    for (const auto& [operand, other] : op.alias) offsets_[operand] = offsets_[other];
    nbytes_of_all_ = offset;
  }

  // Everything poisoned but what the case gives; `storage` rounds it.
  [[nodiscard]] std::vector<std::byte> image(DType storage) const {
    std::vector<std::byte> bytes(nbytes_of_all_);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = poison(i);
    for (std::size_t i = 0; i < op_->operands.size(); ++i) {
      const OperandOf& operand = op_->operands[i];
      for (std::size_t n = 0; n < operand.values.size(); ++n) {
        const double value =
            operand.dtype ? operand.values[n] : rounded(operand.values[n], storage);
        store(bytes.data() + offsets_[i] + n * itemsize(dtypes_[i]), dtypes_[i], value);
      }
    }
    for (std::size_t i = 0; i < op_->counts.size(); ++i) {
      std::memcpy(bytes.data() + offsets_.back() + (i + 1) * sizeof(std::int64_t), &op_->counts[i],
                  sizeof(std::int64_t));
    }
    return bytes;
  }
  // `at(offset)` is where the byte of that offset lies.
  template <class At>
  [[nodiscard]] std::vector<std::byte*> addresses(const At& at) const {
    std::vector<std::byte*> result;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      result.push_back(counts_[i] == 0 ? nullptr : at(offsets_[i]));
    if (!op_->counts.empty()) result.push_back(at(offsets_.back()));
    if (spec_.scratch_nbytes > 0) result.push_back(at(offsets_[counts_.size()]));
    return result;
  }
  // The sizes of operands, scratch and counts without canaries, by offset.
  [[nodiscard]] std::map<std::size_t, std::size_t> pieces() const {
    std::map<std::size_t, std::size_t> result;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] > 0)
        result[offsets_[i]] = std::max<std::size_t>(result[offsets_[i]], nbytes_[i]);
    }
    if (spec_.scratch_nbytes > 0) result[offsets_[counts_.size()]] = spec_.scratch_nbytes;
    if (!op_->counts.empty())
      result[offsets_.back()] = (op_->counts.size() + 1) * sizeof(std::int64_t);
    return result;
  }
  [[nodiscard]] OpResult result(const std::vector<std::byte>& bytes) const {
    OpResult found;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      auto& values = found.operands.emplace_back();
      for (std::size_t n = 0; n < counts_[i]; ++n)
        values.push_back(load(bytes.data() + offsets_[i] + n * itemsize(dtypes_[i]), dtypes_[i]));
      if (counts_[i] > 0) check_canary(bytes, offsets_[i] + nbytes_[i], found);
    }
    check_canary(bytes, offsets_[counts_.size()] + spec_.scratch_nbytes, found);
    return found;
  }
  [[nodiscard]] std::unique_ptr<TaskFunction> prepare() const {
    return kernels::prepare(*kernel_, spec_);
  }

 private:
  static void check_canary(const std::vector<std::byte>& bytes, std::size_t at, OpResult& found) {
    for (std::size_t i = at; i < at + kCanary; ++i)
      found.canaries_whole = found.canaries_whole && bytes[i] == poison(i);
  }
  const OpCase* op_;
  std::vector<DType> dtypes_;
  std::vector<std::size_t> counts_, offsets_;
  std::vector<std::uint64_t> nbytes_;
  std::vector<std::optional<graph::Tensor>> tensors_;
  std::vector<kernels::RunTimeRows> counted_;
  kernels::KernelSpec spec_;
  const kernels::Kernel* kernel_ = nullptr;
  std::size_t nbytes_of_all_ = 0;
};

// The image of a case on the device. By default it is one allocation, whose canaries tell writes
// behind an operand. With MEGASCALE_TEST_OWN_ALLOCATIONS each operand has one of exactly its size, so
// that compute-sanitizer's memcheck tells reads behind it too.
class DeviceImage {
 public:
  DeviceImage(const Layout& layout, std::span<const std::byte> bytes) {
    std::map<std::size_t, std::size_t> pieces{{0, bytes.size()}};
    if (std::getenv("MEGASCALE_TEST_OWN_ALLOCATIONS") != nullptr) pieces = layout.pieces();
    for (const auto& [offset, nbytes] : pieces) {
      const auto& memory = pieces_.emplace(offset, nbytes).first->second;
      cuda::copy_to_device(memory.bytes().data(), bytes.subspan(offset, nbytes));
    }
  }
  [[nodiscard]] std::byte* at(std::size_t offset) const {
    const auto piece = std::prev(pieces_.upper_bound(offset));
    return piece->second.bytes().data() + (offset - piece->first);
  }
  void copy_to(std::span<std::byte> bytes) const {
    for (const auto& [offset, memory] : pieces_)
      cuda::copy_to_host(bytes.subspan(offset, memory.bytes().size()), memory.bytes().data());
  }

 private:
  std::map<std::size_t, cuda::DeviceMemory> pieces_;  // by the offset of their first byte
};

void require(const Error* error) {
  if (error != nullptr) throw Error(*error);
}

}  // namespace

OpResult run_on_cpu(const OpCase& op, DType storage) {
  const Layout layout(op, storage, kernels::Device::cpu);
  std::vector<std::byte> bytes = layout.image(storage);
  // Kernels of the CPU expect 64-byte alignment of their scratch.
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> lines((bytes.size() + 63) / 64);
  auto* base = reinterpret_cast<std::byte*>(lines.data());
  std::copy(bytes.begin(), bytes.end(), base);
  const auto addresses = layout.addresses([base](std::size_t offset) { return base + offset; });
  require(layout.prepare()->run({.operands = addresses, .first = op.first}));
  std::copy_n(base, bytes.size(), bytes.data());
  return layout.result(bytes);
}

OpResult run_on_device(const OpCase& op, DType storage, std::optional<Error>* late_error) {
  cuda::use_device(0);
  const Layout layout(op, storage, kernels::Device::cuda);
  std::vector<std::byte> bytes = layout.image(storage);
  const DeviceImage image(layout, bytes);
  const cuda::Stream stream;
  const auto addresses =
      layout.addresses([&image](std::size_t offset) { return image.at(offset); });
  const auto function = layout.prepare();
  const cuda::PinnedMemory memory_of_complaint(sizeof(std::int64_t));
  auto* complaint = reinterpret_cast<std::int64_t*>(memory_of_complaint.bytes().data());
  require(function->run(
      {.operands = addresses, .first = op.first, .stream = stream.get(), .complaint = complaint}));
  if (auto error = cuda::take_error()) throw Error(*error);
  stream.synchronize();
  if (*complaint != 0) {
    const Error late = function->late_error(*complaint);
    if (late_error == nullptr) throw Error(late);
    *late_error = late;
  }
  image.copy_to(bytes);
  return layout.result(bytes);
}

}  // namespace megascale::testing
