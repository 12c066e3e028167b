// Goal: a merged trace of 8 processes on hosts whose clocks are a minute apart keeps causality, states
// its uncertainty, and is a file of the Trace Event Format that viewers read.
// Method: a training with the real program, whose records are then moved to other hosts and clocks.
// The checks read the file only, and share no code with the writer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include "cli/workspace.h"
#include "megascale/base/record_ring_format.h"
#include "megascale/base/run_directory.h"

namespace megascale::testing {
namespace {

using nlohmann::json;

// The clock of a host, as a function of the clock that the run had.
struct OtherClock {
  std::int64_t ahead_ns = 0;
  double rate = 0;
};

// Moves the records of a rank to another host and clock.
void move_ring(const std::filesystem::path& path, const std::string& host,
               const OtherClock& clock) {
  std::string bytes = read(path);
  RecordRingHeader header;
  ASSERT_GE(bytes.size(), sizeof header);
  std::memcpy(&header, bytes.data(), sizeof header);
  std::fill(std::begin(header.host_name), std::end(header.host_name), '\0');
  host.copy(header.host_name, sizeof header.host_name - 1);
  std::memcpy(bytes.data(), &header, sizeof header);
  const auto move = [&](std::int64_t& ns) {
    if (ns != 0) ns += clock.ahead_ns + std::llround(clock.rate * static_cast<double>(ns));
  };
  std::size_t at = sizeof header;
  for (std::uint32_t s = 0; s < header.steps; ++s) {
    RecordRingStep step;
    std::memcpy(&step, bytes.data() + at, sizeof step);
    move(step.begin_ns);
    move(step.end_ns);
    std::memcpy(bytes.data() + at, &step, sizeof step);
    at += sizeof step;
    for (std::uint32_t t = 0; t < header.tasks; ++t) {
      TaskRecord record;
      std::memcpy(&record, bytes.data() + at, sizeof record);
      for (std::int64_t* ns :
           {&record.head_ns, &record.start_ns, &record.matched_ns, &record.done_ns})
        move(*ns);
      std::memcpy(bytes.data() + at, &record, sizeof record);
      at += sizeof record;
    }
  }
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

RecordRingHeader header_of(const std::filesystem::path& path) {
  RecordRingHeader header;
  std::memcpy(&header, read(path).data(), sizeof header);
  return header;
}

void set_clock_offset(const std::filesystem::path& path, std::int64_t offset_ns) {
  std::fstream ring(path, std::ios::binary | std::ios::in | std::ios::out);
  ring.seekp(offsetof(RecordRingHeader, clock_offset_ns));
  ring.write(reinterpret_cast<const char*>(&offset_ns), sizeof offset_ns);
}

// As if the rank had done other steps since.
void forget_steps(const std::filesystem::path& path) {
  std::string bytes = read(path);
  const RecordRingHeader header = header_of(path);
  constexpr std::int64_t kNone = -1;
  for (std::uint32_t s = 0; s < header.steps; ++s) {
    const std::size_t at = sizeof header + s * record_ring_step_nbytes(header.tasks);
    std::memcpy(bytes.data() + at, &kNone, sizeof kNone);
  }
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// ---- The Trace Event Format, as its description has it (JSON Object Format)

void expect_fields(const json& event, const std::set<std::string>& strings,
                   const std::set<std::string>& integers, const std::set<std::string>& numbers) {
  for (const auto& key : strings)
    ASSERT_TRUE(event.contains(key) && event[key].is_string()) << event;
  for (const auto& key : integers)
    ASSERT_TRUE(event.contains(key) && event[key].is_number_integer()) << event;
  for (const auto& key : numbers) {
    ASSERT_TRUE(event.contains(key) && event[key].is_number()) << event;
    ASSERT_TRUE(std::isfinite(event[key].get<double>())) << event;
  }
}

struct Slice {
  double begin = 0, end = 0;
};
using Thread = std::pair<int, int>;  // pid, tid

// Slices of a thread lie one after the other; every arrow has two ends, which lie at slices.
void expect_drawable(std::map<Thread, std::vector<Slice>>& slices, const json& events) {
  constexpr double kRounding = 0.0005;  // microseconds
  for (auto& [thread, list] : slices) {
    std::ranges::sort(list, {}, &Slice::begin);
    for (std::size_t i = 1; i < list.size(); ++i)
      ASSERT_LE(list[i - 1].end, list[i].begin + kRounding) << thread.first << " " << thread.second;
  }
  std::map<int, std::pair<int, int>> ends;  // by arrow
  for (const json& event : events) {
    const std::string phase = event.at("ph");
    if (phase != "s" && phase != "f") continue;
    ++(phase == "s" ? ends[event.at("id")].first : ends[event.at("id")].second);
    const double ts = event.at("ts");
    const auto& list = slices.at({event.at("pid"), event.at("tid")});
    const auto after = std::ranges::upper_bound(list, ts + kRounding, {}, &Slice::begin);
    ASSERT_TRUE(after != list.begin() && std::prev(after)->end >= ts - kRounding) << event;
  }
  for (const auto& [id, count] : ends) ASSERT_EQ(count, std::make_pair(1, 1)) << "arrow " << id;
}

void expect_trace_events(const json& trace) {
  ASSERT_TRUE(trace.is_object() && trace.at("traceEvents").is_array());
  EXPECT_THAT(trace.at("displayTimeUnit"), ::testing::AnyOf("ms", "ns"));
  EXPECT_TRUE(trace.at("otherData").is_object());
  std::map<Thread, std::vector<Slice>> slices;
  std::set<int> named;
  for (const json& event : trace.at("traceEvents")) {
    const std::string phase = event.at("ph");
    if (phase == "M") {
      expect_fields(event, {"name"}, {"pid"}, {});
      const std::string name = event.at("name");
      ASSERT_THAT(name, ::testing::AnyOf("process_name", "process_labels", "thread_name"));
      ASSERT_TRUE(event.at("args").at(name == "process_labels" ? "labels" : "name").is_string());
      if (name == "thread_name") expect_fields(event, {}, {"tid"}, {});
      const bool is_new = name != "process_name" || named.insert(event["pid"].get<int>()).second;
      ASSERT_TRUE(is_new) << event;
    } else if (phase == "X") {
      expect_fields(event, {"name", "cat"}, {"pid", "tid"}, {"ts", "dur"});
      ASSERT_GE(event["dur"].get<double>(), 0) << event;
      ASSERT_TRUE(event.at("args").is_object());
      ASSERT_TRUE(named.contains(event["pid"].get<int>()))
          << "a process has a name before its events";
      slices[{event["pid"], event["tid"]}].push_back(
          {event["ts"], event["ts"].get<double>() + event["dur"].get<double>()});
    } else {
      ASSERT_THAT(phase, ::testing::AnyOf("s", "f"));
      expect_fields(event, {"name", "cat"}, {"pid", "tid", "id"}, {"ts"});
      ASSERT_EQ(event.value("bp", "s"), phase == "f" ? "e" : "s") << event;
    }
  }
  expect_drawable(slices, trace["traceEvents"]);
}

// The members' parts of all transfers; in how many one part has ended before another began.
struct Causality {
  int transfers = 0, broken = 0;
};
Causality causality_of(const json& trace) {
  struct Parts {
    double last_begin = -1e300, first_end = 1e300;
    int count = 0;
  };
  std::map<std::tuple<std::string, int, int>, Parts> transfers;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X" || !event.at("args").contains("group")) continue;
    const json& args = event["args"];
    Parts& parts = transfers[{args.at("group"), args.at("step"), args.at("transfer")}];
    parts.last_begin = std::max(parts.last_begin, event.at("ts").get<double>());
    parts.first_end =
        std::min(parts.first_end, event["ts"].get<double>() + event.at("dur").get<double>());
    ++parts.count;
  }
  Causality causality;
  for (const auto& [name, parts] : transfers) {
    if (parts.count < 2) continue;
    ++causality.transfers;
    causality.broken += parts.last_begin > parts.first_end + 0.0005 ? 1 : 0;
  }
  return causality;
}

class TraceTest : public ::testing::Test {
 protected:
  TraceTest() {
    const Finished trained =
        space_.train("run", {"parallel.world_size=8", "parallel.tensor_model_parallel_size=2",
                             "parallel.pipeline_model_parallel_size=2", "train.micro_batch_size=1",
                             "train.train_iters=6"});
    EXPECT_EQ(trained.exit_code, 0) << trained;
  }
  json trace() {
    const Finished made = megascale({"trace", run_.path().string(), "--json"});
    EXPECT_EQ(made.exit_code, 0) << made;
    said_ = made.out;
    return json::parse(read(run_.trace()), nullptr, false);
  }
  // Pairs of ranks on four hosts; the clock of one is off by a minute.
  void move_to_hosts() const {
    constexpr OtherClock kClocks[]{
        {}, {60'000'000'000, 0}, {-2'000'000, 40e-6}, {7'000'000, -20e-6}};
    for (std::uint32_t rank = 0; rank < 8; ++rank)
      move_ring(run_.ring(rank), "host" + std::to_string(rank / 2), kClocks[rank / 2]);
  }
  const Workspace space_;
  const RunDirectory run_{space_ / "run"};
  std::string said_;
};

TEST_F(TraceTest, ProcessesOfOneHostShareAClock) {
  const json made = trace();
  ASSERT_NO_FATAL_FAILURE(expect_trace_events(made));
  const Causality causality = causality_of(made);
  EXPECT_GT(causality.transfers, 100);
  EXPECT_EQ(causality.broken, 0);
  EXPECT_EQ(made.at("otherData").at("clock_uncertainty_us"), 0);
  EXPECT_EQ(made["otherData"].at("clocks").size(), 1U);
}

TEST_F(TraceTest, ClocksOfHostsAreAligned) {
  move_to_hosts();
  const json made = trace();
  ASSERT_NO_FATAL_FAILURE(expect_trace_events(made));
  const Causality causality = causality_of(made);
  EXPECT_GT(causality.transfers, 100);
  EXPECT_EQ(causality.broken, 0);
  const json& facts = made.at("otherData");
  EXPECT_EQ(facts.at("clock_violation_us"), 0);
  const double uncertainty = facts.at("clock_uncertainty_us");
  EXPECT_GT(uncertainty, 0);
  EXPECT_THAT(said_, ::testing::HasSubstr("clocks of 4 hosts are aligned; the largest error is"));
  json shifted = made;  // the check itself can fail
  for (json& event : shifted.at("traceEvents"))
    if (event.at("ph") == "X" && event.at("pid") == 2)
      event["ts"] = event["ts"].get<double>() + 1e6;
  EXPECT_GT(causality_of(shifted).broken, 50);
  // The true clocks are equal: host 1's error is what its offset misses of the minute.
  const json& second = facts.at("clocks").at(1);
  EXPECT_EQ(second.at("host"), "host1");
  EXPECT_LE(std::abs(second.at("offset_ns").get<double>() + 60e9), 1000 * uncertainty)
      << "by " << uncertainty << " us";
}

TEST_F(TraceTest, AStepThatIsKeptOutlivesTheRings) {
  const auto trace_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"trace", run_.path().string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return megascale(arguments);
  };
  set_clock_offset(run_.ring(1), 12'345);
  const Finished kept = trace_of({"--step", "3", "--keep", "--json"});
  ASSERT_EQ(kept.exit_code, 0) << kept;
  EXPECT_THAT(kept.out, ::testing::HasSubstr("step 3 of 8 ranks is kept for good"));
  EXPECT_EQ(header_of(run_.kept_ring(1, 3)).clock_offset_ns, 12'345);
  const json before = json::parse(read(run_.trace()));
  const Finished refused = trace_of({"--step", "77", "--keep"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.err, ::testing::HasSubstr("expected a ring that holds the whole step 77"));
  EXPECT_NE(trace_of({"--keep"}).exit_code, 0) << "of which step?";
  for (std::uint32_t rank = 0; rank < 8; ++rank) forget_steps(run_.ring(rank));
  ASSERT_EQ(trace_of({"--step", "3"}).exit_code, 0);
  EXPECT_EQ(json::parse(read(run_.trace())), before);
}

TEST_F(TraceTest, WithoutTransfersInThePlanClocksStayAsTheyAre) {
  move_to_hosts();
  for (const auto& entry : std::filesystem::directory_iterator(run_.events())) {
    if (entry.path().extension() != ".json") continue;
    json plan = json::parse(read(entry.path()));  // as older versions wrote it
    plan.erase("communicators");
    for (json& task : plan.at("tasks")) task.erase("communicator");
    std::ofstream(entry.path()) << plan;
  }
  const json made = trace();
  ASSERT_NO_FATAL_FAILURE(expect_trace_events(made));
  EXPECT_TRUE(made.at("otherData").at("clock_uncertainty_us").is_null());
  EXPECT_THAT(said_, ::testing::HasSubstr("clocks of 4 hosts are not aligned"));
}

}  // namespace
}  // namespace megascale::testing
