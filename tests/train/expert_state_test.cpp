// Parameters that are spread over the expert axes, beside ones on the dense axes: initial values,
// gradients, norms, ZeRO, the optimizer and checkpoints have the values of one rank, on any layout.
#include <gtest/gtest.h>

#include <cstring>

#include "megascale/checkpoint/open.h"
#include "megascale/checkpoint/save.h"
#include "megascale/train/checkpointing.h"
#include "support/close.h"
#include "support/scratch_directory.h"
#include "support/watchdog.h"
#include "train/expert_job.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr std::int64_t kSeed = 77;

// tensor, context, data; expert_tensor, expert, (expert_data); pipeline.
const std::vector<ExpertLayout>& expert_layouts() {
  static const std::vector<ExpertLayout> kLayouts{
      {"one", {{1, 1, 1, 1, 1, 1, 1}}},
      {"data2_same_experts", {{1, 1, 2, 1, 1, 1, 1}}, 2},
      {"data2_expert2", {{1, 1, 2, 1, 2, 1, 1}}, 1},
      {"tensor2_expert2", {{2, 1, 1, 1, 2, 1, 1}}},
      {"tensor2_expert_tensor2", {{2, 1, 1, 2, 1, 1, 1}}, 2},
      {"data4_expert2_zero1", {{1, 1, 4, 1, 2, 1, 1}}, 1},
      {"data4_expert2_zero2", {{1, 1, 4, 1, 2, 1, 1}}, 2},
      {"context2_data2_expert4", {{1, 2, 2, 1, 4, 1, 1}}, 2},
      {"tensor2_data2_expert_tensor2_expert2", {{2, 1, 2, 2, 2, 1, 1}}, 1},
      {"tensor3_context2_expert_tensor2_expert3", {{3, 2, 1, 2, 3, 1, 1}}, 1},
      {"tensor2_data3_expert_tensor3", {{2, 1, 3, 3, 1, 1, 1}}, 2},
      {"context4_expert2_pipeline2", {{1, 4, 1, 1, 2, 1, 2}}, 2},
      {"tensor2_data2_expert2_pipeline2", {{2, 1, 2, 1, 2, 1, 2}}},
  };
  return kLayouts;
}

std::string first_difference(const WholeState& got, const WholeState& want) {
  const auto compare = [](const char* what, const auto& a, const auto& b) -> std::string {
    if (a.size() != b.size()) return "numbers of tensors";
    for (const auto& [name, values] : b) {
      const auto& mine = a.at(name);
      if (mine.size() != values.size()) return "size of " + name;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::memcmp(&mine[i], &values[i], sizeof(float)) != 0) {
          return std::string(what) + " of " + name + "[" + std::to_string(i) + "] is " +
                 std::to_string(mine[i]) + ", not " + std::to_string(values[i]);
        }
      }
    }
    return "";
  };
  std::string difference = compare("weight", got.weight, want.weight);
  if (difference.empty()) difference = compare("m", got.first_moment, want.first_moment);
  if (difference.empty()) difference = compare("v", got.second_moment, want.second_moment);
  return difference;
}

// A run of one rank, which all layouts are held against.
struct Reference {
  std::vector<WholeState> after;  // so many steps
  std::vector<double> norms;      // of the gradient, by step
};
Reference run_on_one(OptimizerKind optimizer, int steps) {
  ExpertLayout one = expert_layouts()[0];
  one.optimizer = optimizer;
  ExpertJob job(one);
  job.initialize(kSeed);
  Reference reference{.after = {job.whole()}, .norms = {}};
  for (int step = 0; step < steps; ++step) {
    reference.norms.push_back(job.step()[0]);
    reference.after.push_back(job.whole());
  }
  return reference;
}
const Reference& adamw_on_one() {
  static const Reference kReference = run_on_one(OptimizerKind::adamw, 4);
  return kReference;
}

class ExpertStateTest : public ::testing::TestWithParam<ExpertLayout> {};
INSTANTIATE_TEST_SUITE_P(Layouts, ExpertStateTest, ::testing::ValuesIn(expert_layouts()),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

TEST_P(ExpertStateTest, InitialValuesAreFunctionsOfTheGlobalElement) {
  ExpertJob job(GetParam());
  job.initialize(kSeed);
  std::size_t elements = 0, wrong = 0;
  job.for_each_element([&](const engine::StatePart& part, std::uint64_t i, std::uint64_t element) {
    float expected = 0;
    PhiloxStream(kSeed, part.name).fill_normal({&expected, 1}, element, 0, 0.25);
    ++elements;
    wrong += part.weight[i] != expected;
  });
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(elements, 100000U);
  EXPECT_EQ(first_difference(job.whole(), adamw_on_one().after[0]), "");
}

// Gradients of experts are summed over expert_data, each element counts once in the norm, shards of
// ZeRO are cut over expert_data.
TEST_P(ExpertStateTest, StepsHaveTheBitsOfOneRank) {
  const Watchdog watchdog(GetParam().name, std::chrono::seconds(120));
  ExpertJob job(GetParam());
  job.initialize(kSeed);
  for (std::size_t step = 0; step < 3; ++step) {
    for (const double norm : job.step()) EXPECT_EQ(norm, adamw_on_one().norms[step]);
    ASSERT_EQ(first_difference(job.whole(), adamw_on_one().after[step + 1]), "")
        << "after step " << step;
  }
}

TEST_P(ExpertStateTest, LambHasTheValuesOfOneRank) {
  static const Reference kReference = run_on_one(OptimizerKind::lamb, 2);
  const Watchdog watchdog(GetParam().name, std::chrono::seconds(120));
  ExpertLayout layout = GetParam();
  layout.optimizer = OptimizerKind::lamb;
  ExpertJob job(layout);
  job.initialize(kSeed);
  for (std::size_t step = 0; step < 2; ++step) {
    // Norms of weights are not exact: sums of blocks in another order.
    for (const double norm : job.step()) EXPECT_NEAR(norm, kReference.norms[step], 1e-9 * norm);
  }
  const WholeState whole = job.whole();
  for (const auto& [name, values] : kReference.after[2].weight)
    EXPECT_TRUE(all_close(whole.weight.at(name), values, 1e-6)) << name;
}

// Buckets, and the group and the shards of each.
TEST(ExpertBucketsTest, ExpertsAreSummedAndShardedOverExpertData) {
  ExpertJob job({"", {{2, 1, 4, 1, 2, 1, 1}}, 2});
  const plan::ModelState& state = job.state_of(0);
  EXPECT_EQ(state.dense_parameters, 6U);
  EXPECT_EQ(state.global_parameters, 10U);
  for (const plan::ParameterPlace& place : state.parameters) {
    const plan::FlatBucket& bucket = state.buckets[place.bucket];
    const bool of_experts =
        place.parameter.name.ends_with("up") || place.parameter.name.ends_with("down");
    EXPECT_EQ(place.parameter.is_of_experts(), of_experts) << place.parameter.name;
    EXPECT_EQ(place.global >= state.dense_parameters, of_experts);
    if (!of_experts) continue;
    EXPECT_EQ(bucket.summed_over, (graph::AxisSet{graph::Axis::expert_data}));
    EXPECT_EQ(bucket.shards, 4U);
    EXPECT_EQ(place.shape[0].size, ExpertModel::kExperts / 2);
  }
}

// Saves what all ranks of the job have, as if one had it.
checkpoint::Opened save(ExpertJob& job, const ScratchDirectory& scratch, const std::string& name) {
  std::vector<checkpoint::Piece> pieces;
  for (std::uint32_t r = 0; r < job.grid().world_size(); ++r) {
    const auto parts = job.parts(r);
    for (auto& piece : train::pieces_of(parts)) pieces.push_back(std::move(piece));
  }
  return checkpoint::Opened(checkpoint::save(scratch / name, {.step = 2}, pieces).path);
}

void load(ExpertJob& job, const checkpoint::Opened& opened) {
  for (std::uint32_t r = 0; r < job.grid().world_size(); ++r) {
    train::require_known_tensors(opened, train::tensor_names(job.state_of(0)));
    train::load_parts(opened, job.parts(r));
  }
}

// From every layout to every other one: what was saved is loaded, bit for bit.
TEST(ExpertCheckpointTest, AnyLayoutLoadsWhatAnyOtherHasSaved) {
  const ScratchDirectory scratch;
  std::vector<std::unique_ptr<ExpertJob>> jobs;
  std::vector<checkpoint::Opened> saved;
  for (const ExpertLayout& layout : expert_layouts()) {
    if (layout.sizes[graph::Axis::pipeline] > 1) continue;  // they know their own tensors only
    jobs.push_back(std::make_unique<ExpertJob>(layout));
    ExpertJob& job = *jobs.back();
    job.initialize(kSeed);
    job.for_each_element(
        [&](const engine::StatePart& part, std::uint64_t i, std::uint64_t element) {
          part.first_moment[i] = static_cast<float>(element) / 2;
          part.second_moment[i] = static_cast<float>(element) * 3;
        });
    saved.push_back(save(job, scratch, layout.name));
  }
  const WholeState want = jobs[0]->whole();
  EXPECT_EQ(want.second_moment.at("layers.1.down").back(), 12.0F * 40 * 48 * 3 - 3);
  for (auto& job : jobs) {
    for (const checkpoint::Opened& opened : saved) {
      job->for_each_element([](const engine::StatePart& part, std::uint64_t i, std::uint64_t) {
        part.weight[i] = part.first_moment[i] = part.second_moment[i] = -1;
      });
      load(*job, opened);
      ASSERT_EQ(first_difference(job->whole(), want), "") << opened.path();
    }
  }
}

// A run that goes on under another layout has the bits of one that did not stop.
TEST(ExpertCheckpointTest, TrainingGoesOnUnderAnotherLayout) {
  const Watchdog watchdog("going on under other layouts", std::chrono::seconds(240));
  const ScratchDirectory scratch;
  const auto& layouts = expert_layouts();
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const ExpertLayout &from = layouts[i], &to = layouts[(i * 5 + 3) % layouts.size()];
    SCOPED_TRACE(std::string(from.name) + " to " + to.name);
    ExpertJob first(from), second(to);
    first.initialize(kSeed);
    for (int step = 0; step < 2; ++step) first.step();
    const checkpoint::Opened opened = save(first, scratch, from.name);
    for (std::uint32_t r = 0; r < second.grid().world_size(); ++r)
      train::load_parts(opened, second.parts(r));
    second.set_updates(2);
    for (int step = 2; step < 4; ++step) second.step();
    ASSERT_EQ(first_difference(second.whole(), adamw_on_one().after[4]), "");
  }
}

}  // namespace
}  // namespace megascale
