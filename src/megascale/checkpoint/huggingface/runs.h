#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_RUNS_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/checkpoint/json_text.h"

// Text for tensors that repeat values, such as causal masks: runs of equal elements, each as
// "COUNTxHEX" with the bytes of the element in the order of memory; separated by commas. All
// functions may be called from any thread.
namespace megascale::checkpoint::huggingface {

// A tensor with more runs has no such text.
inline constexpr std::size_t kRunsMax = std::size_t{1} << 16;

// Returns the text of `bytes`, elements of `itemsize` bytes; empty if it has too many runs.
[[nodiscard]] std::optional<std::string> to_runs(std::span<const std::byte> bytes,
                                                 std::size_t itemsize);
// Returns the bytes of a text. Throws the errors of `source` if it is malformed, or if it does not
// give exactly `nbytes` bytes; `name` names the tensor.
[[nodiscard]] std::vector<std::byte> parse_runs(std::string_view text, std::size_t itemsize,
                                                std::uint64_t nbytes, const JsonSource& source,
                                                std::string_view name);

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_RUNS_H_
