#ifndef MEGASCALE_CONFIG_DATA_SETS_H_
#define MEGASCALE_CONFIG_DATA_SETS_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "megascale/config/config.h"

// What the keys of [data] say about sets. All functions are pure and may be called from any thread.
namespace megascale {

struct NamedSet {
  std::string name, prefix;
};
// Returns the sets of data.validation_sets, whose elements are NAME=PREFIX, in their order. Returns
// nothing if an element has another form, or if a name or a prefix comes twice. A name has 1 to 32
// letters, digits, '_' or '-', so that it can be a part of the name of a metric.
[[nodiscard]] std::optional<std::vector<NamedSet>> parse_validation_sets(
    std::span<const std::string> elements);

// Returns whether there is a validation set besides the named ones: valid_data_path, or a validation
// share of data_path.
[[nodiscard]] bool has_main_validation(const DataConfig& data);

// Returns whether two of the paths are the same after "." and ".." are resolved in the text.
[[nodiscard]] bool has_duplicates(std::span<const std::string> paths);

// The least share of a set in a blend. A smaller one would give it a sample in more than a million.
inline constexpr double kLeastShare = 1e-6;
// Returns whether each weight is at least kLeastShare of their sum. The weights are > 0 and finite.
[[nodiscard]] bool has_least_shares(std::span<const double> weights) noexcept;

// Returns whether every other element, from the first on, is a number: Megatron-LM's list of weights
// and prefixes in turn.
[[nodiscard]] bool has_weights_between(std::span<const std::string> paths);

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_DATA_SETS_H_
