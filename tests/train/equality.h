#ifndef MEGASCALE_TESTS_TRAIN_EQUALITY_H_
#define MEGASCALE_TESTS_TRAIN_EQUALITY_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "support/watchdog.h"
#include "train/lattice.h"

namespace megascale::testing {

inline constexpr std::int64_t kSteps = 5;
inline constexpr double kBound = 1e-5;

// Runs points and holds them against what they must equal. Runs that several points are compared
// with are made once.
class EqualityCheck {
 public:
  void check(const Point& point) {
    const Watchdog watchdog(name(point), std::chrono::seconds(240));
    SCOPED_TRACE(name(point));
    try {
      const Outcome& plain = reference(plainest(point));
      if (point == plainest(point)) return;
      EXPECT_EQ(first_difference(run(laboratory_, point, kSteps), plain), "");
      ++points_;
    } catch (const Error& error) {
      ADD_FAILURE() << error.message();
    }
  }

  void report() const {
    std::printf(
        "%d points, %zu references; worst relative difference to one rank: losses %.2e, gradients "
        "%.2e\n",
        points_, references_.size(), worst_loss_, worst_gradient_);
  }

  [[nodiscard]] Laboratory& laboratory() { return laboratory_; }

 private:
  // A plainest point is close to the run on one rank, which is checked when it is first needed.
  const Outcome& reference(const Point& point) {
    const auto found = references_.find(point);
    if (found != references_.end()) return found->second;
    Outcome outcome = run(laboratory_, point, kSteps);
    for (const double norm : outcome.gradient_norms) EXPECT_GT(norm, 0.25) << "clipping is active";
    if (const Point one = on_one_rank(point); point != one) {
      const Outcome& plain = reference(one);
      const double loss = worst_relative_difference(outcome.losses, plain.losses);
      EXPECT_LE(loss, kBound) << "losses of " << name(point);
      const double validation =
          worst_relative_difference(outcome.validation_losses, plain.validation_losses);
      EXPECT_LE(validation, kBound) << "validation losses of " << name(point);
      const double gradient = worst_gradient_difference(gradients(point), gradients(one));
      EXPECT_LE(gradient, kBound) << "gradients of " << name(point);
      worst_loss_ = std::max({worst_loss_, loss, validation});
      worst_gradient_ = std::max(worst_gradient_, gradient);
    }
    return references_.emplace(point, std::move(outcome)).first->second;
  }

  const Tensors& gradients(const Point& point) {
    const auto found = gradients_.find(point);
    if (found != gradients_.end()) return found->second;
    Settings unclipped = settings(point);
    unclipped.emplace_back("optimizer.clip_grad=0");
    return gradients_.emplace(point, laboratory_.run(unclipped, {.most_steps = 1}).tensors)
        .first->second;
  }

  Laboratory laboratory_;
  std::map<Point, Outcome> references_;
  std::map<Point, Tensors> gradients_;
  double worst_loss_ = 0, worst_gradient_ = 0;
  int points_ = 0;
};

// The points of one model and optimizer: runs in processes of their own.
using Part = std::tuple<int, int>;
inline std::vector<Point> part_of(std::vector<Point> points, const Part& part) {
  std::erase_if(points, [&](const Point& point) {
    return at(point, Aspect::model) != std::get<0>(part) ||
           at(point, Aspect::optimizer) != std::get<1>(part);
  });
  return points;
}
inline std::string part_name(const Part& part) {
  const auto label = [](Aspect aspect, int number) {
    return values_of(aspect)[static_cast<std::size_t>(number)].label;
  };
  return label(Aspect::model, std::get<0>(part)) + "_" +
         label(Aspect::optimizer, std::get<1>(part));
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_TRAIN_EQUALITY_H_
