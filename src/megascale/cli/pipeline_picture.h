#ifndef MEGASCALE_CLI_PIPELINE_PICTURE_H_
#define MEGASCALE_CLI_PIPELINE_PICTURE_H_

#include <filesystem>
#include <nlohmann/json.hpp>

#include "megascale/config/config.h"

namespace megascale::cli {

// Prints the order of work of the configuration's pipeline, where there is more than one stage, in
// the unit replay: forward, input gradients and weight gradients of a chunk take 1 each, transfers
// nothing. A `file` that is not empty gets the whole picture: SVG when its name ends in .svg, else
// text. Returns the numbers for --json. Throws Error.
nlohmann::ordered_json show_pipeline(const Config& config, const std::filesystem::path& file);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_PIPELINE_PICTURE_H_
