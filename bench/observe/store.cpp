// Stores the steps that the rings of a run hold, as observe.stored_steps does, and reads them back:
// measure_step_store RUN_DIR FILE. Prints one JSON object with the rows, the bytes of the records and of
// the file, and the seconds of each part. FILE is made anew.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/config/load.h"
#include "megascale/serve/ring_follower.h"
#include "megascale/serve/step_store.h"

namespace {

namespace fs = std::filesystem;
using namespace megascale;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int measure(const fs::path& directory, const fs::path& file) {
  const RunDirectory run(directory);
  const Config config = parse_config(read_text(run.config()), run.config().string());
  const job::JobPlan job = job::plan_job(config);
  job::require_proven(job);
  const serve::JobWorks works(job);
  for (const auto suffix : control::Database::kFiles)
    fs::remove(file.string() + std::string(suffix));

  auto begin = std::chrono::steady_clock::now();
  serve::RingFollower follower(run, works);
  std::vector<serve::StoredStep> steps;
  std::uintmax_t record_nbytes = 0;
  for (const std::uint32_t rank : follower.list()) {
    auto news = follower.look(rank);
    if (!news) continue;
    record_nbytes += fs::file_size(run.ring(rank));
    for (auto& [step, entry] : news->steps)
      steps.push_back({rank, step, news->host, works.work_of(rank), std::move(entry)});
  }
  const double reducing = seconds_since(begin);
  begin = std::chrono::steady_clock::now();
  {
    constexpr std::size_t kBatch = 4096;  // as the streamer does
    serve::StepStore store(file, 1'000'000);
    for (std::size_t i = 0; i < steps.size(); i += kBatch)
      store.write(std::span(steps).subspan(i, std::min(kBatch, steps.size() - i)));
  }
  const double writing = seconds_since(begin);
  // read_stored_steps() looks for files in a run directory.
  const RunDirectory copy(file.parent_path() / "stored");
  fs::create_directories(copy.events());
  fs::copy_file(file, copy.step_store("bench"), fs::copy_options::overwrite_existing);
  begin = std::chrono::steady_clock::now();
  std::size_t read = 0;
  serve::read_stored_steps(copy, 0, [&](const serve::StoredStep&) {
    ++read;
    return true;
  });
  fmt::print(
      "{{\"rows\": {}, \"record_bytes\": {}, \"stored_bytes\": {}, \"reducing_seconds\": {:.3f}, "
      "\"writing_seconds\": {:.3f}, \"reading_seconds\": {:.3f}}}\n",
      steps.size(), record_nbytes, fs::file_size(file), reducing, writing, seconds_since(begin));
  return read == steps.size() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print("expected: measure_step_store RUN_DIR FILE\n");
    return 2;
  }
  try {
    return measure(argv[1], argv[2]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
