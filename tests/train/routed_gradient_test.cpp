// The gradients of a whole model with routed experts, against finite differences of its loss, also where
// choices are dropped.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "megascale/data/dataset.h"
#include "megascale/engine/engine.h"
#include "megascale/engine/inference.h"
#include "support/watchdog.h"
#include "train/routed_model.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// Where a test measures a loss: the tensor is moved by `step` times `direction`.
struct Moved {
  std::string tensor;
  std::vector<double> direction;
  double step = 0;
};

void put_weights(std::vector<engine::StatePart> parts, const Tensors& weights, const Moved& moved) {
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

const Settings kOneStep{"optimizer.clip_grad=0",     "data.shuffle=false",
                        "data.split=1,0,0",          "train.eval_interval=0",
                        "model.init_method_std=0.2", "moe.aux_loss_coeff=0",
                        "moe.z_loss_coeff=0",        "train.global_batch_size=4"};

Settings one_step(std::initializer_list<Settings> more) {
  Settings all = routed_model();
  for (const Settings& settings : more) all.insert(all.end(), settings.begin(), settings.end());
  all.insert(all.end(), kOneStep.begin(), kOneStep.end());
  return all;
}

// Goal: the gradient of every tensor is that of the loss. Method: the first moment after one step
// without clipping is (1 - beta1) x gradient; along the gradient, and along the signs of half of its
// elements, the loss changes as it says. The balancing losses are not part of the loss that is reported,
// so they are off; tests/kernels has differences of their own.
template <class LossesOf>
void expect_slopes(LossesOf& losses, const Tensors& before, const Tensors& after) {
  int tensors = 0;
  for (const auto& [name, weights] : before) {
    // The bias of choices has no gradient.
    if (name.ends_with("_moment") || name.ends_with("choice_bias")) continue;
    ++tensors;
    std::vector<double> gradient;
    double square = 0;
    for (const float moment : after.at(name + ".first_moment")) {
      gradient.push_back(moment / 0.1);
      square += gradient.back() * gradient.back();
    }
    const double norm = std::sqrt(square);
    ASSERT_GT(norm, 0) << name;
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
  EXPECT_GT(tensors, 20);
}

// Every token goes to all experts: a choice between them would make the loss jump. (The comparison with
// PyTorch has choices.)
void expect_gradients(const Settings& more) {
  const Settings all =
      one_step({more, {"moe.num_experts=3", "moe.router_topk=3", "train.micro_batch_size=2"}});
  Laboratory laboratory;
  const Tensors before = laboratory.run(all, {.most_steps = 0}).tensors;
  const Tensors after = laboratory.run(all, {.most_steps = 1}).tensors;
  Losses losses(laboratory.config(all), before);
  expect_slopes(losses, before, after);
}

TEST(RoutedGradientTest, SoftmaxRouterWithASharedExpert) {
  const Watchdog watchdog("finite differences", std::chrono::seconds(240));
  expect_gradients({"moe.norm_topk_prob=false"});
}

TEST(RoutedGradientTest, SigmoidRouterWithAScalingFactor) {
  const Watchdog watchdog("finite differences", std::chrono::seconds(240));
  expect_gradients({"moe.router_score_function=sigmoid", "moe.norm_topk_prob=false",
                    "moe.router_topk_scaling_factor=1.5", "moe.shared_expert_intermediate_size=0",
                    "moe.first_dense_layers=1"});
}

TEST(RoutedGradientTest, SigmoidRouterWithWeightsDividedByTheirSum) {
  const Watchdog watchdog("finite differences", std::chrono::seconds(240));
  expect_gradients({"moe.router_score_function=sigmoid", "moe.layer_freq=1"});
}

TEST(RoutedGradientTest, GateOfASharedExpert) {
  const Watchdog watchdog("finite differences", std::chrono::seconds(240));
  expect_gradients({"moe.shared_expert_gate=true"});
}

// Method: nothing that a weight moves may decide what is dropped. A bias chooses experts 0, 1 and 3 for
// every token. Three of four sequences are exempt, and their choices of the first group are as many as it
// keeps. So the tokens of the other sequence lose two choices of three, whatever their scores are.
TEST(RoutedGradientTest, DroppedChoicesHaveNoGradientAndTheOthersKeepTheirs) {
  const Watchdog watchdog("finite differences", std::chrono::seconds(240));
  const auto settings_of = [](int seed) {
    return one_step({{"moe.num_experts=6", "moe.router_topk=3", "moe.device_groups=2",
                      "moe.expert_capacity_factor=1", "moe.capacity_exempt_share=0.75",
                      "moe.router_enable_expert_bias=true", "train.micro_batch_size=4",
                      "train.seed=" + std::to_string(seed)}});
  };
  Laboratory laboratory;
  Tensors before = laboratory.run(settings_of(1), {.most_steps = 0}).tensors;
  for (auto& [name, values] : before) {
    if (name.ends_with("choice_bias")) values = {9, 9, 0, 9, 0, 0};
  }
  constexpr double kDropped = 2 * 24;  // of a layer: two choices of each token of a sequence
  for (int seed = 1;; ++seed) {
    ASSERT_LT(seed, 50) << "no seed exempts three of four sequences";
    TrainingLosses losses(laboratory.config(settings_of(seed)), before);
    const engine::StepResult step = losses.step_at({});
    if (step.routing[6] != kDropped) continue;
    expect_slopes(losses, before, losses.first_moments());
    return;
  }
}

// A new token with a key-value cache sees what it sees in a whole sequence: the rows of experts are
// counted by tokens that are counted themselves.
TEST(RoutedGradientTest, DecodingGivesTheLogitsOfTheWholeSequence) {
  const Watchdog watchdog("decoding");
  Laboratory laboratory;
  Settings gated = routed_model();
  gated.emplace_back("moe.shared_expert_gate=true");
  const Config config = laboratory.config(gated);
  const Tensors weights = laboratory.run(gated, {.most_steps = 0}).tensors;
  engine::Inference model(config, nullptr);
  for (engine::StatePart& part : model.state()) {
    const auto& values = weights.at(part.name);
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(part.begin), part.weight.size(),
                part.weight.begin());
  }
  const std::vector<std::int32_t> tokens{5, 17, 101, 3, 3, 250, 9};
  const auto whole = model.feed(tokens);
  const std::vector<float> wanted(whole.begin(), whole.end());
  model.clear();
  (void)model.feed(std::span(tokens).first(3));
  for (std::size_t i = 3; i + 1 < tokens.size(); ++i)
    (void)model.feed(std::span(tokens).subspan(i, 1));
  const auto stepwise = model.feed(std::span(tokens).last(1));
  ASSERT_EQ(stepwise.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(stepwise[i], wanted[i], 1e-5) << i;
}

}  // namespace
}  // namespace megascale
