#ifndef MEGASCALE_GRAPH_AXIS_H_
#define MEGASCALE_GRAPH_AXIS_H_

#include <array>
#include <cstdint>
#include <string_view>

// The axes along which a model is spread over ranks, and groups as products of axes.
namespace megascale::graph {

// In rank order, tensor innermost. Context and expert factor the same ranks in two ways.
enum class Axis : std::uint8_t { tensor, context, expert, data, pipeline };
inline constexpr std::size_t kAxisCount = 5;
[[nodiscard]] std::string_view to_string(Axis axis) noexcept;

struct AxisSizes {
  std::array<std::uint32_t, kAxisCount> sizes{1, 1, 1, 1, 1};
  [[nodiscard]] std::uint32_t operator[](Axis axis) const noexcept {
    return sizes[static_cast<std::size_t>(axis)];
  }
  std::uint32_t& operator[](Axis axis) noexcept { return sizes[static_cast<std::size_t>(axis)]; }
};

// A rank's position on every axis.
using Coordinates = std::array<std::uint32_t, kAxisCount>;

// A set of axes; the group of a rank is all ranks that differ from it in these axes only.
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
  [[nodiscard]] static constexpr AxisSet from_bits(std::uint8_t bits) {
    AxisSet set;
    set.bits_ = bits;
    return set;
  }
  [[nodiscard]] constexpr std::uint8_t bits() const noexcept { return bits_; }
  [[nodiscard]] std::uint32_t group_size(const AxisSizes& sizes) const noexcept {
    std::uint32_t size = 1;
    for (std::size_t i = 0; i < kAxisCount; ++i) {
      if (contains(static_cast<Axis>(i))) size *= sizes.sizes[i];
    }
    return size;
  }
  // A rank's place in its group: tensor counts fastest.
  [[nodiscard]] std::uint32_t group_index(const AxisSizes& sizes,
                                          const Coordinates& coordinates) const noexcept {
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
  std::uint8_t bits_ = 0;
};

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_AXIS_H_
