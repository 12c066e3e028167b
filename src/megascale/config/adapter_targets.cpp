#include "megascale/config/adapter_targets.h"

#include <algorithm>
#include <array>

namespace megascale {

std::string_view adapter_target(std::string_view layer) noexcept {
  struct Named {
    std::string_view end, target;
  };
  static constexpr std::array kLayers{Named{".attention.qkv", "linear_qkv"},
                                      Named{".attention.output", "linear_proj"},
                                      Named{".mlp.up", "linear_fc1"},
                                      Named{".mlp.gate_up", "linear_fc1"},
                                      Named{".mlp.down", "linear_fc2"},
                                      Named{".experts.gate_up", "linear_fc1"},
                                      Named{".experts.down", "linear_fc2"},
                                      Named{".shared_expert.gate_up", "linear_fc1"},
                                      Named{".shared_expert.down", "linear_fc2"}};
  const auto* found = std::find_if(kLayers.begin(), kLayers.end(),
                                   [&](const Named& one) { return layer.ends_with(one.end); });
  return found == kLayers.end() ? std::string_view() : found->target;
}

}  // namespace megascale
