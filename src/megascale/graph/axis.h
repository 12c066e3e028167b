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
// Both products are of the same consecutive ranks, the first named axis innermost (Megatron-LM's
// order). A rank so has a coordinate on every axis. A group is a product of axes of one
// factorisation; the pipeline axis belongs to both.
namespace megascale::graph {

// In rank order: of each factorisation the innermost axis first, the pipeline outermost.
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

// The sizes of a job's axes, and of its hosts.
struct AxisSizes {
  std::array<std::uint32_t, kAxisCount> sizes{1, 1, 1, 1, 1, 1, 1};
  std::uint32_t ranks_per_host = 0;  // consecutive ranks that share a host; 0: all ranks do
  [[nodiscard]] std::uint32_t operator[](Axis axis) const noexcept {
    return sizes[static_cast<std::size_t>(axis)];
  }
  std::uint32_t& operator[](Axis axis) noexcept { return sizes[static_cast<std::size_t>(axis)]; }
};
// The same sizes with the one of expert_data that makes both products equal; what was given for it
// is not read. The ranks of a stage must be a multiple of expert_tensor x expert, else it is a bug.
[[nodiscard]] AxisSizes with_expert_data(AxisSizes sizes);
// Ranks between two neighbours along the axis: the product of the sizes of the axes inside it.
[[nodiscard]] std::uint32_t stride(const AxisSizes& sizes, Axis axis) noexcept;

// A rank's position on every axis.
using Coordinates = std::array<std::uint32_t, kAxisCount>;

// A set of axes; the group of a rank is all ranks that differ from it in these axes only. A set may
// hold any axes, but only one of a single factorisation has a group: for another one the functions
// that take sizes fail as a bug and name the axes.
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
  // Whether all axes of `other` are among these.
  [[nodiscard]] constexpr bool contains(AxisSet other) const noexcept {
    return (bits_ & other.bits_) == other.bits_;
  }
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
  // Whether it has axes of both factorisations: then it is no group.
  [[nodiscard]] constexpr bool is_mixed() const noexcept;
  [[nodiscard]] std::uint32_t group_size(const AxisSizes& sizes) const noexcept {
    if (is_mixed()) fail_mixed();
    std::uint32_t size = 1;
    for (std::size_t i = 0; i < kAxisCount; ++i) {
      if (contains(static_cast<Axis>(i))) size *= sizes.sizes[i];
    }
    return size;
  }
  // A rank's place in its group: the innermost axis counts fastest.
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

// Those of `axes` that have more than one rank: a group of one sums and shares nothing.
[[nodiscard]] AxisSet existing(const AxisSizes& sizes, AxisSet axes) noexcept;

// The two factorisations of a stage's ranks.
inline constexpr AxisSet kDenseAxes{Axis::tensor, Axis::context, Axis::data};
inline constexpr AxisSet kExpertAxes{Axis::expert_tensor, Axis::expert, Axis::expert_data};

constexpr bool AxisSet::is_mixed() const noexcept {
  return meets(kDenseAxes) && meets(kExpertAxes);
}

// "tensor+context"
[[nodiscard]] std::string to_string(AxisSet axes);

// Which members of a group take part: all, or a factor of the group by hosts. A hierarchical
// collective is one over the members inside a host and one between hosts.
enum class HostFactor : std::uint8_t {
  none,     // all members
  inside,   // those on my host
  between,  // those with my place inside their host, on all hosts
};
[[nodiscard]] std::string_view to_string(HostFactor factor) noexcept;
// How many members of a group over `axes` share a host; in group order they follow each other.
// Throws Error (bad_usage) where hosts do not cut the group in equal parts, in the same way for all
// groups over these axes: then it has no factors.
[[nodiscard]] std::uint32_t members_per_host(const AxisSizes& sizes, AxisSet axes);
// Members of a group, or of its factor, and the place there of the member that is number `index` of
// the group. Throw as members_per_host().
[[nodiscard]] std::uint32_t factor_size(const AxisSizes& sizes, AxisSet axes, HostFactor factor);
[[nodiscard]] std::uint32_t factor_index(const AxisSizes& sizes, AxisSet axes, HostFactor factor,
                                         std::uint32_t index);

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_AXIS_H_
