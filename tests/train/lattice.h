#ifndef MEGASCALE_TESTS_TRAIN_LATTICE_H_
#define MEGASCALE_TESTS_TRAIN_LATTICE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "train/training.h"

// The ways to train a tiny model: a table of axes and their values, and the points that the rules
// of the configuration allow.
namespace megascale::testing {

// The first six, the pieces and ZeRO stage 3 decide the bits of a run; all others must not.
enum class Aspect : std::uint8_t {
  model,
  optimizer,
  tensor,
  context,
  data,
  micro_batch_size,
  pipeline,
  virtual_pipeline,
  schedule,
  pieces,
  zero,
  recompute,
  overlap,
  buckets,
  loading,
  delays,
};
inline constexpr std::size_t kAspects = 16;

struct Value {
  std::string label;
  Settings settings;
  int number = 0;  // of sizes
};
[[nodiscard]] std::span<const Value> values_of(Aspect aspect);

// For every aspect the number of its value.
using Point = std::array<std::uint8_t, kAspects>;

[[nodiscard]] inline std::uint8_t at(const Point& point, Aspect aspect) {
  return point[static_cast<std::size_t>(aspect)];
}
[[nodiscard]] const Value& value(const Point& point, Aspect aspect);
// "gpt2 adamw tensor2 data2 ...": every aspect.
[[nodiscard]] std::string name(const Point& point);
[[nodiscard]] Settings settings(const Point& point);
[[nodiscard]] int ranks(const Point& point);
// Runs it as its settings and its delays say.
Outcome run(Laboratory& laboratory, const Point& point, std::int64_t steps);

// The plainest point whose bits must be those of `point`: one stage, nothing sharded, dropped or
// delayed. And the one on one rank to which it must be close.
[[nodiscard]] Point plainest(const Point& point);
[[nodiscard]] Point on_one_rank(const Point& point);

// All points of 1, 2, 3, 4, 6 or 8 ranks that are valid and differ in more than the last seven
// aspects, which are those of plainest().
[[nodiscard]] const std::vector<Point>& layouts(const Laboratory& laboratory);
// Points of the lattice in which every two values that can stand together do; at least `least`.
[[nodiscard]] std::vector<Point> pairwise_cover(const Laboratory& laboratory, std::size_t least,
                                                std::uint64_t seed);
// Every layout with every ZeRO stage that means something there; the other aspects are drawn.
[[nodiscard]] std::vector<Point> whole_lattice(const Laboratory& laboratory, std::uint64_t seed);

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_TRAIN_LATTICE_H_
