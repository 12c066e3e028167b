#ifndef MEGASCALE_TESTS_TRAIN_ROUTED_MODEL_H_
#define MEGASCALE_TESTS_TRAIN_ROUTED_MODEL_H_

#include <ostream>
#include <string>
#include <vector>

#include "train/training.h"

// A tiny model with routed experts in two of its four layers and a shared one beside them, and the
// layouts that it is trained in.
namespace megascale::testing {

inline Settings routed_model() {
  return {"model.type=llama",         "model.num_layers=4",
          "model.hidden_size=24",     "model.num_attention_heads=4",
          "model.num_query_groups=2", "model.ffn_hidden_size=48",
          "moe.num_experts=8",        "moe.router_topk=3",
          "moe.ffn_hidden_size=20",   "moe.shared_expert_intermediate_size=12",
          "moe.layer_freq=2",         "moe.aux_loss_coeff=0.02",
          "moe.z_loss_coeff=0.001",   "parallel.expert_tensor_parallel_size=1"};
}

struct RoutedLayout {
  const char* name;
  int tensor, context, data, pipeline, expert;
  Settings more = {};
};
// Names of tests would contain the bytes of a layout, addresses among them.
inline void PrintTo(const RoutedLayout& layout, std::ostream* out) { *out << layout.name; }
inline Settings settings(const RoutedLayout& layout) {
  Settings all = routed_model();
  const auto set = [&](const char* key, int value) {
    all.push_back(std::string("parallel.") + key + "=" + std::to_string(value));
  };
  set("world_size", layout.tensor * layout.context * layout.data * layout.pipeline);
  set("tensor_model_parallel_size", layout.tensor);
  set("context_parallel_size", layout.context);
  set("pipeline_model_parallel_size", layout.pipeline);
  set("expert_model_parallel_size", layout.expert);
  all.insert(all.end(), layout.more.begin(), layout.more.end());
  return all;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_TRAIN_ROUTED_MODEL_H_
