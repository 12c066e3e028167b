#ifndef MEGASCALE_TESTS_TRAIN_RAMP_H_
#define MEGASCALE_TESTS_TRAIN_RAMP_H_

#include <string>
#include <vector>

#include "train/training.h"

// Runs whose batch grows, as threads and as processes.
namespace megascale::testing {

// Steps 1 and 2 have 4 sequences, step 3 has 8, the others 12.
inline const Settings kRamp{"train.rampup_batch_size=4,4,16"};

inline Settings ramp_model(const Settings& batch, const Settings& more = {}) {
  Settings all{"model.num_layers=4", "model.hidden_size=24", "model.num_attention_heads=4"};
  all.insert(all.end(), batch.begin(), batch.end());
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

struct Layout {
  const char* name;
  bool has_same_bits;  // as one rank
  Settings settings;
};
inline std::vector<Layout> ramp_layouts() {
  const std::string ranks = "parallel.world_size=", tensor = "parallel.tensor_model_parallel_size=",
                    stages = "parallel.pipeline_model_parallel_size=";
  return {{"pipeline", true, {ranks + "2", stages + "2"}},
          {"zero_bubble", true, {ranks + "2", stages + "2", "parallel.pipeline_schedule=zb-h1"}},
          {"interleaved",
           true,
           {ranks + "2", stages + "2", "parallel.virtual_pipeline_size=2",
            "parallel.pipeline_schedule=interleaved"}},
          {"data", false, {ranks + "2"}},
          {"data_zero1", false, {ranks + "4", "parallel.zero_stage=1"}},
          {"data_zero2", false, {ranks + "2", "parallel.zero_stage=2"}},
          {"data_zero3", false, {ranks + "2", "parallel.zero_stage=3"}},
          {"tensor", false, {ranks + "2", tensor + "2"}},
          {"mixed_zero1", false, {ranks + "4", stages + "2", "parallel.zero_stage=1"}}};
}

// Adds a run that goes on from another one to it.
inline void append(Outcome& run, const Outcome& rest) {
  const auto add = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  add(run.losses, rest.losses);
  add(run.gradient_norms, rest.gradient_norms);
  add(run.validation_losses, rest.validation_losses);
  run.tensors = rest.tensors;
  run.state = rest.state;
  run.checkpoints = rest.checkpoints;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_TRAIN_RAMP_H_
