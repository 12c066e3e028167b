#ifndef MEGASCALE_PARALLEL_SCHEDULE_FILE_H_
#define MEGASCALE_PARALLEL_SCHEDULE_FILE_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "megascale/parallel/schedule.h"

// Pipeline schedules as text files: docs/formats/pipeline-schedule.md.
namespace megascale::parallel {

// Throws one Error (bad_input) with every error of the file, one per line, each with file and line:
// of the form of the file and, when that is right, all that validate() finds.
[[nodiscard]] Schedule read_schedule(const std::filesystem::path& file);  // and Error (io)
// The same for a text; `file_name` is for messages only.
[[nodiscard]] Schedule parse_schedule(std::string_view text, std::string_view file_name);

// parse_schedule(to_text(s), ...) == s for every valid s whose name the format allows.
[[nodiscard]] std::string to_text(const Schedule& schedule);

}  // namespace megascale::parallel

#endif  // MEGASCALE_PARALLEL_SCHEDULE_FILE_H_
