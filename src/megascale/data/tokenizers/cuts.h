#ifndef MEGASCALE_DATA_TOKENIZERS_CUTS_H_
#define MEGASCALE_DATA_TOKENIZERS_CUTS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/data/tokenizers/pipeline.h"

// A long text is encoded in parts. It may be cut only where no component looks across.
namespace megascale::tokenizers {

// Returns where the texts of a pipeline may be cut. `patterns` are the patterns of its Split steps,
// as the file writes them.
[[nodiscard]] Cuts cuts_of(const PipelineParts& parts, const std::vector<std::string>& patterns);
// Returns the position of the last cut of `text`, or 0.
[[nodiscard]] std::size_t last_cut(std::string_view text, Cuts cuts);

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_CUTS_H_
