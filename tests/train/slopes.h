#ifndef MEGASCALE_TESTS_TRAIN_SLOPES_H_
#define MEGASCALE_TESTS_TRAIN_SLOPES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "megascale/data/dataset.h"
#include "megascale/engine/engine.h"
#include "megascale/engine/inference.h"
#include "train/training.h"

// The gradients of a whole model against finite differences of its loss.
namespace megascale::testing {

// Where a test measures a loss: the tensor is moved by `step` times `direction`.
struct Moved {
  std::string tensor;
  std::vector<double> direction;
  double step = 0;
};

inline void put_weights(std::vector<engine::StatePart> parts, const Tensors& weights,
                        const Moved& moved) {
  for (engine::StatePart& part : parts) {
    const std::vector<float>& values = weights.at(part.name);
    for (std::size_t i = 0; i < part.weight.size(); ++i) {
      const std::size_t element = part.begin + i;
      part.weight[i] = static_cast<float>(
          values[element] +
          (part.name == moved.tensor ? moved.step * moved.direction[element] : 0.0));
    }
    std::fill(part.first_moment.begin(), part.first_moment.end(), 0.0F);
    std::fill(part.second_moment.begin(), part.second_moment.end(), 0.0F);
  }
}

// Losses of one batch for weights that a test chooses.
class Losses {
 public:
  Losses(const Config& config, const Tensors& weights)
      : data_(open_dataset(config, Split::train)), model_(config, &data_), weights_(weights) {}

  double at(const Moved& moved) {
    put_weights(model_.state(), weights_, moved);
    return model_.evaluate(1);
  }

 private:
  Dataset data_;
  engine::Inference model_;
  Tensors weights_;
};

// The same of a training step, which may drop choices.
class TrainingLosses {
 public:
  TrainingLosses(const Config& config, const Tensors& weights)
      : data_(open_dataset(config, Split::train)),
        job_(job::plan_job(config)),
        engine_(config, job_, {.records = {}, .train = &data_, .runner = {}}),
        weights_(weights) {}
  engine::StepResult step_at(const Moved& moved) {
    put_weights(engine_.state_to_load(), weights_, moved);
    engine_.restore({}, 0);
    engine_.start_at(0);
    return engine_.train_step();
  }
  double at(const Moved& moved) { return step_at(moved).loss; }
  // After step_at().
  Tensors first_moments() {
    Tensors moments;
    for (const engine::StatePart& part : engine_.state_to_load()) {
      if (part.first_moment.empty()) continue;
      auto& values = moments[part.name + ".first_moment"];
      values.resize(weights_.at(part.name).size());
      std::copy(part.first_moment.begin(), part.first_moment.end(),
                values.begin() + static_cast<std::ptrdiff_t>(part.begin));
    }
    return moments;
  }

 private:
  Dataset data_;
  job::JobPlan job_;
  engine::Engine engine_;
  Tensors weights_;
};

// Goal: the gradient of every tensor is that of the loss. Method: the first moment after one step
// without clipping is (1 - beta1) x gradient; along the gradient, and along the signs of half of its
// elements, the loss changes as it says. Returns the number of tensors; those without moments are frozen.
template <class LossesOf>
int expect_slopes(LossesOf& losses, const Tensors& before, const Tensors& after) {
  int tensors = 0;
  for (const auto& [name, weights] : before) {
    // The bias of choices has no gradient.
    if (name.ends_with("_moment") || name.ends_with("choice_bias")) continue;
    if (!after.contains(name + ".first_moment")) continue;
    ++tensors;
    std::vector<double> gradient;
    double square = 0;
    for (const float moment : after.at(name + ".first_moment")) {
      gradient.push_back(moment / 0.1);
      square += gradient.back() * gradient.back();
    }
    const double norm = std::sqrt(square);
    EXPECT_GT(norm, 0) << name;
    if (norm == 0) continue;
    std::vector<double> along(gradient), signs(gradient.size());
    double along_signs = 0, length = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      along[i] /= norm;
      signs[i] = gradient[i] == 0 || i % 2 == 0 ? 0 : std::copysign(1.0, gradient[i]);
      length += std::abs(signs[i]);
    }
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      if (length > 0) signs[i] /= std::sqrt(length);
      along_signs += signs[i] * gradient[i];
    }
    const auto expect_slope = [&](const char* what, const std::vector<double>& direction,
                                  double slope) {
      // So small that the third derivative does not show, so large that the loss's last bits do not.
      const double step = std::min(4e-3 / slope, 0.1);
      const double measured =
          (losses.at({name, direction, step}) - losses.at({name, direction, -step})) / (2 * step);
      EXPECT_NEAR(measured / slope, 1, 0.02) << name << " along " << what << ": gradient " << slope;
    };
    expect_slope("the gradient", along, norm);
    if (along_signs > norm / 100) expect_slope("signs", signs, along_signs);
  }
  return tensors;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_TRAIN_SLOPES_H_
