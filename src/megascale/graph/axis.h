#ifndef MEGASCALE_GRAPH_AXIS_H_
#define MEGASCALE_GRAPH_AXIS_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

// The axes along which a model is spread over ranks, and groups as products of axes.
//
// The ranks of a pipeline stage are factored twice, because attention and experts cut a layer
// differently:
//
//   ranks of a stage = tensor x context x data                 (dense axes)
//                    = expert_tensor x expert x expert_data    (expert axes)
//
// Both products cover the same consecutive ranks. The first axis in each line is the innermost (the
// order of Megatron-LM), so each rank has a coordinate on every axis. A group is a product of axes
// of one factorisation. The pipeline axis belongs to both factorisations. All types are values; all
// functions may be called from any thread.
namespace megascale::graph {

// In rank order: the innermost axis of each factorisation comes first, the pipeline is outermost.
enum class Axis : std::uint8_t {
  tensor,
  context,
  data,
  expert_tensor,
  expert,
  expert_data,
  pipeline,
};
inline constexpr std::size_t kAxisCount = 7;
[[nodiscard]] std::string_view to_string(Axis axis) noexcept;

// The sizes of a job's axes and hosts.
struct AxisSizes {
  std::array<std::uint32_t, kAxisCount> sizes{1, 1, 1, 1, 1, 1, 1};
  std::uint32_t ranks_per_host = 0;  // consecutive ranks that share a host; 0: all ranks do
  [[nodiscard]] std::uint32_t operator[](Axis axis) const noexcept {
    return sizes[static_cast<std::size_t>(axis)];
  }
  std::uint32_t& operator[](Axis axis) noexcept { return sizes[static_cast<std::size_t>(axis)]; }
};
// Returns the sizes with the size of expert_data that makes both products equal; the given size of
// expert_data is ignored. The ranks of a stage must be a multiple of expert_tensor x expert, else
// it is a bug.
[[nodiscard]] AxisSizes with_expert_data(AxisSizes sizes);
// Returns the number of ranks between two neighbours along the axis: the product of the sizes of
// all axes inside it.
[[nodiscard]] std::uint32_t stride(const AxisSizes& sizes, Axis axis) noexcept;

// The position of a rank on every axis.
using Coordinates = std::array<std::uint32_t, kAxisCount>;

// A set of axes. The group of a rank is the set of all ranks that differ from it on these axes
// only. A set may hold any axes, but only axes of one factorisation make a group. It is a bug to
// ask for the group of a mixed set; the message of the check names the axes.
class AxisSet {
 public:
  constexpr AxisSet() = default;
  constexpr AxisSet(std::initializer_list<Axis> axes) {
    for (const Axis axis : axes) bits_ |= bit(axis);
  }
  constexpr void insert(Axis axis) noexcept { bits_ |= bit(axis); }
  [[nodiscard]] constexpr bool contains(Axis axis) const noexcept {
    return (bits_ & bit(axis)) != 0;
  }
  // Returns whether all axes of `other` are in this set.
  [[nodiscard]] constexpr bool contains(AxisSet other) const noexcept {
    return (bits_ & other.bits_) == other.bits_;
  }
  // Returns whether the two sets have an axis in common.
  [[nodiscard]] constexpr bool meets(AxisSet other) const noexcept {
    return (bits_ & other.bits_) != 0;
  }
  [[nodiscard]] constexpr AxisSet without(AxisSet other) const noexcept {
    return from_bits(static_cast<std::uint8_t>(bits_ & ~other.bits_));
  }
  [[nodiscard]] static constexpr AxisSet from_bits(std::uint8_t bits) {
    AxisSet set;
    set.bits_ = bits;
    return set;
  }
  [[nodiscard]] constexpr std::uint8_t bits() const noexcept { return bits_; }
  // Returns whether the set has axes of both factorisations; then it is not a group.
  [[nodiscard]] constexpr bool is_mixed() const noexcept;
  // Returns the number of ranks in a group.
  [[nodiscard]] std::uint32_t group_size(const AxisSizes& sizes) const noexcept {
    if (is_mixed()) fail_mixed();
    std::uint32_t size = 1;
    for (std::size_t i = 0; i < kAxisCount; ++i) {
      if (contains(static_cast<Axis>(i))) size *= sizes.sizes[i];
    }
    return size;
  }
  // Returns the position of a rank in its group. The innermost axis counts fastest.
  [[nodiscard]] std::uint32_t group_index(const AxisSizes& sizes,
                                          const Coordinates& coordinates) const noexcept {
    if (is_mixed()) fail_mixed();
    std::uint32_t index = 0, stride = 1;
    for (std::size_t i = 0; i < kAxisCount; ++i) {
      if (!contains(static_cast<Axis>(i))) continue;
      index += coordinates[i] * stride;
      stride *= sizes.sizes[i];
    }
    return index;
  }
  friend constexpr AxisSet operator|(AxisSet a, AxisSet b) noexcept {
    return from_bits(static_cast<std::uint8_t>(a.bits_ | b.bits_));
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  friend constexpr auto operator<=>(const AxisSet&, const AxisSet&) = default;

 private:
  static constexpr std::uint8_t bit(Axis axis) noexcept {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(axis));
  }
  [[noreturn]] void fail_mixed() const noexcept;
  std::uint8_t bits_ = 0;
};

// Returns the axes of the set that have more than one rank. A group of one needs no communication.
[[nodiscard]] AxisSet existing(const AxisSizes& sizes, AxisSet axes) noexcept;

// The two factorisations of a stage's ranks.
inline constexpr AxisSet kDenseAxes{Axis::tensor, Axis::context, Axis::data};
inline constexpr AxisSet kExpertAxes{Axis::expert_tensor, Axis::expert, Axis::expert_data};

constexpr bool AxisSet::is_mixed() const noexcept {
  return meets(kDenseAxes) && meets(kExpertAxes);
}

// Returns, for instance, "tensor+context".
[[nodiscard]] std::string to_string(AxisSet axes);

// The members of a group that take part in a transfer: all of them, or a factor of the group by
// hosts. A hierarchical collective consists of one collective inside hosts and one between hosts.
enum class HostFactor : std::uint8_t {
  none,     // all members
  inside,   // the members on the host of this rank
  between,  // the members with the position of this rank in their host, one per host
};
[[nodiscard]] std::string_view to_string(HostFactor factor) noexcept;
// Returns the number of members of a group over `axes` that share a host; they are consecutive in
// the group. All groups over these axes must be cut by hosts in the same way and into equal parts;
// otherwise throws Error (bad_usage).
[[nodiscard]] std::uint32_t members_per_host(const AxisSizes& sizes, AxisSet axes);
// factor_size() returns the number of members of a group, or of its factor. factor_index() returns
// the position there of the member with number `index` in the group. Both throw as
// members_per_host().
[[nodiscard]] std::uint32_t factor_size(const AxisSizes& sizes, AxisSet axes, HostFactor factor);
[[nodiscard]] std::uint32_t factor_index(const AxisSizes& sizes, AxisSet axes, HostFactor factor,
                                         std::uint32_t index);

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_AXIS_H_
