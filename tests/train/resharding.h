#ifndef MEGASCALE_TESTS_TRAIN_RESHARDING_H_
#define MEGASCALE_TESTS_TRAIN_RESHARDING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "support/watchdog.h"
#include "train/training.h"

namespace megascale::testing {

// A model with a tied head, and the layouts between which its checkpoints are carried.
struct Layout {
  const char* name;
  int tensor, data, pipeline;
  Settings more;
  int context = 1;
};
inline const std::vector<Layout>& layouts_to_reshard() {
  static const std::vector<Layout> kLayouts{
      {"one", 1, 1, 1, {}},
      {"tensor2", 2, 1, 1, {}},
      {"data2_zero2", 1, 2, 1, {"parallel.zero_stage=2"}},
      {"pipeline2", 1, 1, 2, {}},
      {"tensor3", 3, 1, 1, {}},
      {"data3_zero2", 1, 3, 1, {"parallel.zero_stage=2", "parallel.data_parallel_buckets=3"}},
      {"tensor2_pipeline2", 2, 1, 2, {"parallel.pipeline_schedule=gpipe"}},
      {"data2_pipeline2", 1, 2, 2, {"parallel.data_parallel_buckets=1"}},
      {"tensor2_pipeline3_virtual2",
       2,
       1,
       3,
       {"parallel.pipeline_schedule=interleaved", "parallel.virtual_pipeline_size=2"}},
      {"data3_pipeline2_zero2",
       1,
       3,
       2,
       {"parallel.zero_stage=2", "parallel.pipeline_schedule=zb-h1"}},
      {"tensor3_data2", 3, 2, 1, {}},
      {"tensor2_data2_pipeline2_virtual3_zero2",
       2,
       2,
       2,
       {"parallel.zero_stage=2", "parallel.pipeline_schedule=interleaved",
        "parallel.virtual_pipeline_size=3"}},
      {"context4_zero1", 1, 1, 1, {"parallel.zero_stage=1"}, 4},
      {"tensor2_context2_pipeline2_zero2", 2, 1, 2, {"parallel.zero_stage=2"}, 2},
      {"data3_zero3", 1, 3, 1, {"parallel.zero_stage=3"}},
      {"data3_pipeline2_zero3",
       1,
       3,
       2,
       {"parallel.zero_stage=3", "parallel.pipeline_schedule=zb-h1"}},
  };
  return kLayouts;
}
inline Settings settings(const Layout& layout) {
  Settings all{"model.num_layers=6", "model.hidden_size=24", "model.num_attention_heads=12"};
  all.push_back("parallel.world_size=" +
                std::to_string(layout.tensor * layout.context * layout.data * layout.pipeline));
  all.push_back("parallel.context_parallel_size=" + std::to_string(layout.context));
  all.push_back("parallel.tensor_model_parallel_size=" + std::to_string(layout.tensor));
  all.push_back("parallel.pipeline_model_parallel_size=" + std::to_string(layout.pipeline));
  all.insert(all.end(), layout.more.begin(), layout.more.end());
  return all;
}

// ZeRO stage 3 adds the gradients of each micro-batch over the ranks by itself, so its bits are its own.
inline bool divides(const Layout& layout) {
  return std::find(layout.more.begin(), layout.more.end(), "parallel.zero_stage=3") !=
         layout.more.end();
}

// Saves under one layout, goes on under another.
class ReshardingCheck {
 public:
  static constexpr std::int64_t kBefore = 3, kAfter = 5;
  static constexpr double kBound = 1e-5;

  void check(const Layout& from, const Layout& to) {
    const std::string name = std::string(from.name) + " to " + to.name;
    const Watchdog watchdog(name, std::chrono::seconds(240));
    SCOPED_TRACE(name);
    try {
      const Source& source = source_of(from);
      const Outcome loaded =
          laboratory_.run(settings(to), {.most_steps = 0, .load = source.saved.checkpoints});
      EXPECT_EQ(first_difference(loaded.tensors, source.saved.tensors), "") << "after loading";
      expect_same_place(loaded.state, source.saved.state);
      const Outcome continued =
          laboratory_.run(settings(to), {.most_steps = kAfter, .load = source.saved.checkpoints});
      expect_same_place(continued.state, source.continued.state);
      ASSERT_EQ(continued.losses.size(), std::size_t{kAfter});
      if (from.tensor == to.tensor && from.context == to.context && from.data == to.data &&
          divides(from) == divides(to)) {
        EXPECT_EQ(first_difference(continued, source.continued), "") << "at the end";
      } else {
        const double difference =
            worst_relative_difference(continued.losses, source.continued.losses);
        EXPECT_LE(difference, kBound) << "losses";
        EXPECT_LE(worst_relative_difference(continued.validation_losses,
                                            source.continued.validation_losses),
                  kBound)
            << "validation losses";
        worst_ = std::max(worst_, difference);
      }
      ++pairs_;
    } catch (const Error& error) {
      ADD_FAILURE() << error.message();
    }
  }
  void report() const {
    std::printf("%d pairs; worst relative difference of a loss: %.2e\n", pairs_, worst_);
  }

 private:
  struct Source {
    Outcome saved, continued;
  };
  const Source& source_of(const Layout& layout) {
    const auto found = sources_.find(layout.name);
    if (found != sources_.end()) return found->second;
    Source source;
    source.saved = laboratory_.run(settings(layout), {.most_steps = kBefore});
    source.continued =
        laboratory_.run(settings(layout), {.most_steps = kAfter, .load = source.saved.checkpoints});
    EXPECT_EQ(source.saved.state.step, kBefore);
    EXPECT_EQ(source.saved.state.consumed_samples, kBefore * Laboratory::kGlobalBatchSize);
    return sources_.emplace(layout.name, std::move(source)).first->second;
  }

  // Steps, updates, and the samples: all those taken so far, and so those that come next.
  static void expect_same_place(const checkpoint::RunState& got, const checkpoint::RunState& want) {
    EXPECT_EQ(got.step, want.step);
    EXPECT_EQ(got.consumed_samples, want.consumed_samples);
    EXPECT_EQ(got.sample_digest, want.sample_digest);
    EXPECT_EQ(got.seed, want.seed);
    EXPECT_EQ(got.data_seed, want.data_seed);
    EXPECT_EQ(got.update.updates, want.update.updates);
    EXPECT_EQ(got.update.skipped, want.update.skipped);
  }

  Laboratory laboratory_;
  std::map<std::string, Source> sources_;
  double worst_ = 0;
  int pairs_ = 0;
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_TRAIN_RESHARDING_H_
