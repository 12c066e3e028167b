// Finds a schedule by its name in the configuration: one of the built-in ones, or a file. This
// source is separate from schedule.cpp, which needs neither files nor the configuration.
#include <fmt/format.h>

#include <map>

#include "megascale/base/error.h"
#include "megascale/config/derived.h"
#include "megascale/parallel/schedule.h"
#include "megascale/parallel/schedule_file.h"

namespace megascale::parallel {

Schedule schedule_by_name(std::string_view name, std::uint32_t stages, std::uint32_t chunks,
                          std::uint32_t micro_batches) {
  if (name.find_first_of("/.") != name.npos) {
    Schedule schedule = read_schedule(name);
    if (schedule.stages != stages || schedule.chunks != chunks ||
        schedule.micro_batches != micro_batches) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("{}: expected a schedule of {} stages, {} chunks and {} "
                              "micro-batches, as configured, found {} stages, {} chunks and {} "
                              "micro-batches",
                              name, stages, chunks, micro_batches, schedule.stages, schedule.chunks,
                              schedule.micro_batches));
    }
    return schedule;
  }
  if (name == "interleaved") return interleaved(stages, chunks, micro_batches);
  using Make = Schedule (*)(std::uint32_t, std::uint32_t);
  const std::map<std::string, Make, std::less<>> makers{
      {"gpipe", gpipe}, {"1f1b", one_forward_one_backward}, {"zb-h1", zero_bubble_h1}};
  const auto maker = makers.find(name);
  if (maker == makers.end()) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("pipeline schedule: expected gpipe, 1f1b, interleaved, zb-h1 or a file "
                            "(a name with '/' or '.'), found {}",
                            name));
  }
  if (chunks != 1) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("pipeline schedule {}: expected 1 chunk per stage, found {}; use "
                            "interleaved or a file",
                            name, chunks));
  }
  return maker->second(stages, micro_batches);
}

Schedule schedule_of(const Config& config) {
  const auto stages = static_cast<std::uint64_t>(config.parallel.pipeline_model_parallel_size);
  const auto chunks = static_cast<std::uint64_t>(config.parallel.virtual_pipeline_size);
  const auto micro_batches = static_cast<std::uint64_t>(num_micro_batches(config));
  const std::string problem = size_problem(stages, chunks, micro_batches);
  if (!problem.empty()) {
    throw Error(ErrorCode::bad_usage, fmt::format("parallel.pipeline_schedule: {}", problem));
  }
  return schedule_by_name(config.parallel.pipeline_schedule, static_cast<std::uint32_t>(stages),
                          static_cast<std::uint32_t>(chunks),
                          static_cast<std::uint32_t>(micro_batches));
}

}  // namespace megascale::parallel
