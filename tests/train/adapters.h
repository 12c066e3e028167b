#ifndef MEGASCALE_TESTS_TRAIN_ADAPTERS_H_
#define MEGASCALE_TESTS_TRAIN_ADAPTERS_H_

#include <gtest/gtest.h>

#include <string>

#include "megascale/config/adapter_targets.h"
#include "train/training.h"

// Settings, checks and helpers for tests of adapters (LoRA).
namespace megascale::testing {

inline const Settings kAdapters{"lora.rank=3", "lora.alpha=6", "optimizer.lr=0.02"};

inline bool is_moment(const std::string& name) { return name.ends_with("_moment"); }

// Expects that adapters have changed, and that only they have moments. Returns how many matrices they have.
inline int count_trained_adapters(const Tensors& before, const Tensors& after) {
  int adapters = 0;
  for (const auto& [name, values] : after) {
    if (is_moment(name)) {
      EXPECT_TRUE(is_adapter_name(name.substr(0, name.rfind('.')))) << name;
    } else if (is_adapter_name(name)) {
      ++adapters;
      EXPECT_NE(values, before.at(name)) << name;
    }
  }
  return adapters;
}

// The tensors of a model without adapters, or those of the adapters.
inline Tensors weights_of(const Tensors& all, bool of_adapters) {
  Tensors weights;
  for (const auto& [name, values] : all) {
    if (!is_moment(name) && is_adapter_name(name) == of_adapters) weights.emplace(name, values);
  }
  return weights;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_TRAIN_ADAPTERS_H_
