#ifndef MEGASCALE_CONFIG_DERIVED_H_
#define MEGASCALE_CONFIG_DERIVED_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "megascale/config/config.h"

// Numbers that follow from a configuration. All expect one that validate() accepts.
namespace megascale {

// `config` with every "0 = ..." replaced by its value (config.h names the three that stay).
// resolve(resolve(c)) == resolve(c). Also for configurations that are not valid: what cannot be
// computed stays 0.
[[nodiscard]] Config resolve(Config config);

// Ranks: parallel.world_size, or where that is 0 the smallest number that fits the layout
// (data-parallel size 1). The command line passes --ranks or the launcher's WORLD_SIZE as an
// override, so 0 means that nobody said.
[[nodiscard]] std::int64_t world_size(const Config& config) noexcept;
// Ranks that hold the same parameters: world_size / (tensor x context x pipeline).
[[nodiscard]] std::int64_t data_parallel_size(const Config& config) noexcept;
// Micro-batches that every rank does per step: global_batch_size / (micro_batch_size x
// data-parallel size).
[[nodiscard]] std::int64_t num_micro_batches(const Config& config) noexcept;
// vocab_size rounded up to a multiple of lcm(make_vocab_size_divisible_by, tensor-parallel size).
// Megatron multiplies the two, which gives the embedding another shape at each tensor-parallel
// size; the lcm is the same for all sizes that divide make_vocab_size_divisible_by, so shapes, and
// with them checkpoints, do not depend on the layout.
[[nodiscard]] std::int64_t padded_vocab_size(const Config& config) noexcept;
[[nodiscard]] std::int64_t layers_per_chunk(const Config& config) noexcept;
[[nodiscard]] std::int64_t tokens_per_step(const Config& config) noexcept;

// Shares of train, validation and test from data.split ("969,30,1", also with fewer parts), scaled
// to sum to 1. Empty when the text is no such list or the shares are all zero.
[[nodiscard]] std::optional<std::array<double, 3>> parse_split(std::string_view split);

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_DERIVED_H_
