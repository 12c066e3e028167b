// Goal: event files and tables hold every step, in the formats that others read, and a writer that
// fails or is stuck costs the training nothing.
// Method: the files are read by code of this test, which shares nothing with the writers.
#include "megascale/train/metric_sinks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstring>
#include <future>
#include <limits>
#include <map>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/train/event_file.h"
#include "megascale/train/metrics_csv.h"
#include "support/scratch_directory.h"

namespace megascale::train {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

StepMetrics metrics_of_step(std::int64_t step) {
  return {.step = step,
          .loss = 10.0 / static_cast<double>(step),
          .grad_norm = 0.5,
          .lr = 1e-3,
          .step_seconds = 0.25,
          .tokens_per_second = 512,
          .mfu = 0.5,
          .consumed_tokens = step * 120,
          .consumed_samples = step * 4,
          .memory_bytes = 1000};
}

// CRC-32C bit by bit.
std::uint32_t slow_crc(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const unsigned next = (static_cast<unsigned char>(byte) >> bit & 1U) ^ (crc & 1U);
      crc = crc >> 1U ^ (next != 0 ? 0x82F63B78U : 0U);
    }
  }
  return crc ^ 0xFFFFFFFFU;
}

struct ReadEvent {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string version;
  bool starts_session = false;
  std::map<std::string, float> values;
};

// A reader of protobuf messages: calls `field` with number, wire type, varint and bytes.
template <class Field>
void read_message(std::string_view bytes, Field field) {
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t number = 0;
    for (unsigned shift = 0; at < bytes.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      number |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80U) break;
    }
    return number;
  };
  while (at < bytes.size()) {
    const std::uint64_t key = varint();
    const unsigned type = key & 7U;
    std::uint64_t number = 0;
    std::size_t nbytes = type == 1 ? 8 : type == 5 ? 4 : 0;
    if (type == 0) number = varint();
    if (type == 2) nbytes = varint();
    ASSERT_LE(at + nbytes, bytes.size());
    field(static_cast<unsigned>(key >> 3U), number, bytes.substr(at, nbytes));
    at += nbytes;
  }
}

template <class Number>
Number number_at(std::string_view bytes) {
  Number number{};
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

ReadEvent parse_event(std::string_view bytes) {
  ReadEvent event;
  read_message(bytes, [&](unsigned field, std::uint64_t number, std::string_view content) {
    if (field == 1) event.wall_time = number_at<double>(content);
    if (field == 2) event.step = static_cast<std::int64_t>(number);
    if (field == 3) event.version = content;
    if (field == 7) event.starts_session = content == std::string_view("\x08\x01");
    if (field != 5) return;
    read_message(content, [&](unsigned, std::uint64_t, std::string_view value) {
      std::string tag;
      read_message(value, [&](unsigned inner, std::uint64_t, std::string_view part) {
        if (inner == 1) tag = part;
        if (inner == 2) event.values[tag] = number_at<float>(part);
      });
    });
  });
  return event;
}

std::vector<ReadEvent> read_events(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  std::string_view rest = text;
  std::vector<ReadEvent> events;
  const auto checked = [](std::string_view bytes, std::string_view crc) {
    const std::uint32_t plain = slow_crc(bytes);
    return number_at<std::uint32_t>(crc) == ((plain >> 15U) | (plain << 17U)) + 0xA282EAD8U;
  };
  while (rest.size() >= 16) {
    const auto nbytes = number_at<std::uint64_t>(rest);
    EXPECT_TRUE(checked(rest.substr(0, 8), rest.substr(8, 4)));
    if (rest.size() < 16 + nbytes) break;
    EXPECT_TRUE(checked(rest.substr(12, nbytes), rest.substr(12 + nbytes, 4)));
    events.push_back(parse_event(rest.substr(12, nbytes)));
    rest.remove_prefix(16 + nbytes);
  }
  EXPECT_TRUE(rest.empty()) << "whole records only";
  return events;
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(EventFileTest, ChecksumsAreThoseOfTheStandard) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U) << "the check value of CRC-32C";
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU) << "RFC 3720, B.4";
  EXPECT_EQ(crc32c("123456789"), slow_crc("123456789"));
}

TEST(EventFileTest, AnIndependentReaderFindsEveryScalar) {
  const testing::ScratchDirectory scratch;
  const ScalarUnits units{.batch_size = 4, .rank_flops = 5e11};
  EventFile file(scratch / "board", 6);
  StepMetrics seventh = metrics_of_step(7);
  file.write(scalars_of(seventh, units));
  seventh.step = 8;
  seventh.loss = std::numeric_limits<double>::quiet_NaN();
  seventh.validation_loss = 2;
  seventh.validation_losses = {{"wiki", 3}};
  file.write(scalars_of(seventh, units));
  EXPECT_THAT(file.path().filename().string(), StartsWith("events.out.tfevents."));

  const auto events = read_events(file.path());
  ASSERT_GT(events.size(), 20U);
  EXPECT_EQ(events[0].version, "brain.Event:2");
  EXPECT_TRUE(events[1].starts_session);
  EXPECT_EQ(events[1].step, 7) << "later steps of other files are hidden from here on";
  std::map<std::pair<std::string, std::int64_t>, float> values;
  for (const ReadEvent& event : events) {
    EXPECT_GT(event.wall_time, 1.7e9);
    for (const auto& [tag, value] : event.values) values[{tag, event.step}] = value;
  }
  EXPECT_FLOAT_EQ(values.at({"lm loss", 7}), 10.0F / 7);
  EXPECT_FLOAT_EQ(values.at({"learning-rate", 7}), 1e-3F);
  EXPECT_FLOAT_EQ(values.at({"grad-norm", 7}), 0.5F);
  EXPECT_FLOAT_EQ(values.at({"batch-size", 7}), 4);
  EXPECT_FLOAT_EQ(values.at({"iteration-time", 7}), 0.25F);
  EXPECT_FLOAT_EQ(values.at({"throughput", 7}), 2) << "TFLOP/s of a rank";
  EXPECT_TRUE(std::isnan(values.at({"lm loss", 8})));
  EXPECT_FLOAT_EQ(values.at({"lm loss validation", 8}), 2);
  EXPECT_FALSE(values.contains({"lm loss validation", 7}));
  EXPECT_FLOAT_EQ(values.at({"lm loss validation wiki", 8}), 3);
  EXPECT_FLOAT_EQ(values.at({"lm loss validation wiki ppl", 8}), std::exp(3.0F));
  EXPECT_FALSE(values.contains({"lm loss validation wiki", 7}));
}

TEST(MetricsCsvTest, ATableOfAllStepsAlsoAfterAResume) {
  const testing::ScratchDirectory scratch;
  const auto path = scratch / "metrics.csv", jsonl = scratch / "metrics.jsonl";
  std::string lines;
  for (int step = 1; step <= 3; ++step) lines += to_json_line(metrics_of_step(step)) + "\n";
  scratch.write("metrics.jsonl", lines + "torn");
  MetricsCsv table(path, jsonl, 2, {"wiki", "code"});  // the run goes on behind step 2
  StepMetrics third = metrics_of_step(3);
  third.loss = std::numeric_limits<double>::infinity();
  third.validation_loss = 1.5;
  third.validation_losses = {{"code", 2.5}, {"elsewhere", 3.5}};
  table.write(third);
  std::istringstream text(read_text(path));
  std::vector<std::string> rows;
  for (std::string row; std::getline(text, row);) rows.push_back(row);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_THAT(rows[0], StartsWith("step,loss,grad_norm,lr,"));
  EXPECT_THAT(rows[1], StartsWith("1,10.0,0.5,0.001,0.25,"));
  EXPECT_THAT(rows[3], StartsWith("3,,0.5,")) << "not finite: an empty cell";
  EXPECT_THAT(rows[3], HasSubstr(",1.5,"));
  EXPECT_THAT(rows[0], EndsWith(",validation_loss_wiki,validation_loss_code"));
  EXPECT_THAT(rows[1], EndsWith(",,"));
  EXPECT_THAT(rows[3], EndsWith(",,2.5")) << "that of a set without a column is left out";
  for (const std::string& row : rows)
    EXPECT_EQ(std::count(row.begin(), row.end(), ','),
              std::count(rows[0].begin(), rows[0].end(), ','));
}

TEST(MetricsCsvTest, EveryMemberOfALineIsAColumn) {
  StepMetrics metrics = metrics_of_step(1);
  metrics.validation_loss = metrics.checkpoint_stall_seconds = 1;
  metrics.rewards = metrics.validation_rewards = RewardMetrics{};
  metrics.routing = RoutingMetrics{};
  std::string line = to_json_line(metrics);
  line.resize(line.find("\"routing\":"));  // lists by layer: no columns
  const std::string head = "," + csv_head({});
  std::size_t members = 0;
  for (std::size_t at = 0; (at = line.find("\":", at)) != std::string::npos; ++at) {
    const std::size_t begin = line.rfind('"', at - 1) + 1;
    const std::string name = line.substr(begin, at - begin);
    EXPECT_TRUE(head.find("," + name + ",") != std::string::npos ||
                head.find("," + name + "\n") != std::string::npos)
        << name;
    ++members;
  }
  EXPECT_EQ(members, static_cast<std::size_t>(std::count(head.begin(), head.end(), ',')));
}

TEST(BackgroundSinkTest, AStuckWriterLosesStepsAndTheTrainingWaitsForNothing) {
  std::promise<void> unblock;
  const auto gate = unblock.get_future().share();
  const auto counter = std::make_shared<std::atomic<int>>(0);
  std::vector<std::string> messages;
  {
    BackgroundSink sink(
        "observe.x",
        [gate, counter](const StepMetrics&) {
          gate.wait();
          ++*counter;
        },
        std::chrono::milliseconds(1));
    // Every push returns although the writer never does; otherwise this test would not end.
    for (int step = 1; step <= 3000; ++step)
      if (const auto message = sink.push(metrics_of_step(step))) messages.push_back(*message);
    EXPECT_GE(sink.dropped(), 3000 - static_cast<int>(BackgroundSink::kMostWaiting) - 1);
    EXPECT_FALSE(sink.flush());
  }
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_THAT(messages[0], HasSubstr("observe.x: the writer is 1024 steps behind"));
  EXPECT_EQ(counter->load(), 0);
  unblock.set_value();
}

TEST(BackgroundSinkTest, AWriterThatFailsIsReportedOnceAndCalledNoMore) {
  const auto calls = std::make_shared<std::atomic<int>>(0);
  BackgroundSink sink("observe.x", [calls](const StepMetrics&) {
    ++*calls;
    throw Error(ErrorCode::io, "no space left");
  });
  EXPECT_FALSE(sink.push(metrics_of_step(1)));
  EXPECT_TRUE(sink.flush());
  const auto message = sink.push(metrics_of_step(2));
  ASSERT_TRUE(message);
  EXPECT_THAT(*message, HasSubstr("no space left; nothing more is written there"));
  EXPECT_FALSE(sink.push(metrics_of_step(3)));
  EXPECT_EQ(sink.dropped(), 3);
  EXPECT_EQ(calls->load(), 1);
}

TEST(MetricSinksTest, ADirectoryThatCannotBeMadeIsAMessageAndNoFailure) {
  const testing::ScratchDirectory scratch;
  scratch.write("file", "");
  Config config;
  config.observe.tensorboard_dir = (scratch / "file/board").string();
  config.observe.csv = true;
  config.train.run_dir = (scratch / "run").string();
  std::filesystem::create_directories(scratch / "run");
  MetricSinks sinks(config, 0, 1e9);
  std::vector<std::string> messages;
  const auto hear = [&](const std::string& message) { messages.push_back(message); };
  for (int step = 1; step <= 5; ++step) sinks.write(metrics_of_step(step), hear);
  sinks.finish(hear);
  ASSERT_FALSE(messages.empty());
  EXPECT_THAT(messages.back(), HasSubstr("observe.tensorboard_dir"));
  const std::string table = read_text(scratch / "run/metrics.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 6);
}

TEST(MetricSinksTest, EveryStartMakesAFileOfItsOwn) {
  const testing::ScratchDirectory scratch;
  Config config;
  config.observe.tensorboard_dir = (scratch / "board").string();
  for (int start = 0; start < 2; ++start) {
    MetricSinks sinks(config, start, 1e9);
    sinks.write(metrics_of_step(start + 1), [](const std::string& text) { ADD_FAILURE() << text; });
    sinks.finish([](const std::string& text) { ADD_FAILURE() << text; });
  }
  const auto files = files_in(scratch / "board");
  ASSERT_EQ(files.size(), 2U);
  for (const auto& file : files) EXPECT_GT(read_events(file).size(), 10U);
}

}  // namespace
}  // namespace megascale::train
