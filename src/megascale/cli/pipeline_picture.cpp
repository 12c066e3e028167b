// Prints the schedule's picture if a terminal can show it, and writes it to a file on request.
#include "megascale/cli/pipeline_picture.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/parallel/draw_schedule.h"

namespace megascale::cli {

void require_picture_name(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  if (ending.empty() || ending == ".svg" || ending == ".txt") return;
  throw Error(
      ErrorCode::bad_usage,
      fmt::format("--draw {}: expected a name that ends in .svg (a picture) or .txt (text), "
                  "found {}",
                  file.string(), ending));
}

nlohmann::ordered_json show_pipeline(const Config& config, const std::filesystem::path& file) {
  constexpr std::size_t kColumns = 200;  // a terminal would break wider rows into unreadable lines
  const parallel::Schedule schedule = parallel::schedule_of(config);
  const parallel::Replay replay = parallel::replay(schedule);
  if (schedule.stages > 1) {
    const std::string picture = parallel::draw_text(schedule, replay);
    const std::size_t first_row = picture.find('\n') + 1;
    const bool fits = picture.find('\n', first_row) - first_row <= kColumns;
    fmt::print("{}{}", picture.substr(0, fits ? picture.npos : first_row),
               fits ? "" : "(the picture is too wide for a terminal; --draw FILE.svg writes it)\n");
  }
  if (!file.empty()) {
    write_text_atomically(file, file.extension() == ".svg" ? draw_svg(schedule, replay)
                                                           : draw_text(schedule, replay));
  }
  return {{"schedule", schedule.name},          {"stages", schedule.stages},
          {"chunks", schedule.chunks},          {"micro_batches", schedule.micro_batches},
          {"idle_share", replay.idle_share(0)}, {"in_flight_peak", replay.in_flight_peak}};
}

}  // namespace megascale::cli
