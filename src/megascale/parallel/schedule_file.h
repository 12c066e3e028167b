#ifndef MEGASCALE_PARALLEL_SCHEDULE_FILE_H_
#define MEGASCALE_PARALLEL_SCHEDULE_FILE_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "megascale/parallel/schedule.h"

// Reads and writes pipeline schedules as text files. docs/formats/pipeline-schedule.md describes
// the format. All functions may be called from any thread.
namespace megascale::parallel {

// Reads a file. Throws Error (io), or one Error (bad_input) with all errors of the file, one per
// line, each with file and line number. If the form of the file is right, these are the defects
// that validate() finds.
[[nodiscard]] Schedule read_schedule(const std::filesystem::path& file);
// Parses the text of a file. `file_name` is used in messages, and its last part as the name of a
// schedule that has none. Throws Error (bad_input) as read_schedule() does.
[[nodiscard]] Schedule parse_schedule(std::string_view text, std::string_view file_name);

// Returns the text of a schedule. parse_schedule(to_text(s), ...) == s for every valid s with a
// name that the format allows.
[[nodiscard]] std::string to_text(const Schedule& schedule);

}  // namespace megascale::parallel

#endif  // MEGASCALE_PARALLEL_SCHEDULE_FILE_H_
