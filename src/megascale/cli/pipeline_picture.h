#ifndef MEGASCALE_CLI_PIPELINE_PICTURE_H_
#define MEGASCALE_CLI_PIPELINE_PICTURE_H_

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "megascale/config/config.h"

namespace megascale::cli {

// Throws Error (bad_usage) if show_pipeline() cannot write the kind of file that the name asks for.
void require_picture_name(const std::filesystem::path& file);

// Prints the pipeline schedule of the configuration, if it has more than one stage. Times are those
// of the unit replay: the forward, the input gradients and the weight gradients of a chunk take 1
// each, and transfers take no time. If `file` is not empty, the whole picture is written to it, as
// SVG if its name ends in .svg, otherwise (.txt or no ending) as text. Returns the schedule's numbers for --json.
// Throws Error.
nlohmann::ordered_json show_pipeline(const Config& config, const std::filesystem::path& file);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_PIPELINE_PICTURE_H_
