#include "megascale/train/event_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <ctime>

namespace megascale::train {
namespace {

// Field numbers of event.proto and summary.proto.
enum EventField : unsigned {
  kWallTime = 1,
  kStep = 2,
  kFileVersion = 3,
  kSummary = 5,
  kSessionLog = 7
};
constexpr unsigned kSummaryValue = 1, kValueTag = 1, kValueSimple = 2;
constexpr unsigned kSessionStatus = 1, kSessionStart = 1;

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  constexpr std::uint32_t kPolynomial = 0x82F63B78U;  // of CRC-32C, bits reversed
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1U) ^ ((value & 1U) != 0 ? kPolynomial : 0);
    table[byte] = value;
  }
  return table;
}

// A checksum of bytes that hold checksums is weak, so it is rotated and shifted.
std::uint32_t masked_crc(std::string_view bytes) noexcept {
  return std::rotr(crc32c(bytes), 15) + 0xA282EAD8U;
}

template <class Number>
std::string little_endian(Number number) {
  static_assert(std::endian::native == std::endian::little);
  const auto bytes = std::bit_cast<std::array<char, sizeof number>>(number);
  return {bytes.data(), bytes.size()};
}

std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80U; number >>= 7U) bytes += static_cast<char>((number & 0x7FU) | 0x80U);
  return bytes + static_cast<char>(number);
}

// The fields of a message, by wire type.
std::string varint_field(unsigned field, std::int64_t number) {
  return varint(field << 3U) + varint(static_cast<std::uint64_t>(number));
}
std::string double_field(unsigned field, double number) {
  return varint(field << 3U | 1U) + little_endian(number);
}
std::string float_field(unsigned field, float number) {
  return varint(field << 3U | 5U) + little_endian(number);
}
std::string bytes_field(unsigned field, std::string_view bytes) {
  return varint(field << 3U | 2U) + varint(bytes.size()) + std::string(bytes);
}

double seconds_since_epoch() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string event(std::int64_t step, const std::string& content) {
  return event_record(double_field(kWallTime, seconds_since_epoch()) + varint_field(kStep, step) +
                      content);
}

std::filesystem::path name_of_file(const std::filesystem::path& directory) {
  std::array<char, 256> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  // A process that opens a second file within a second needs another name for it.
  for (int number = 0;; ++number) {
    auto path = directory / fmt::format("events.out.tfevents.{:010}.{}.{}.{}",
                                        static_cast<std::int64_t>(seconds_since_epoch()),
                                        host.data(), ::getpid(), number);
    if (!std::filesystem::exists(path)) return path;
  }
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) noexcept {
  static constexpr auto kTable = make_crc_table();
  std::uint32_t crc = ~0U;
  for (const char byte : bytes)
    crc = (crc >> 8U) ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFFU];
  return ~crc;
}

std::string event_record(std::string_view bytes) {
  const std::string length = little_endian<std::uint64_t>(bytes.size());
  return length + little_endian(masked_crc(length)) + std::string(bytes) +
         little_endian(masked_crc(bytes));
}

std::vector<Scalar> scalars_of(const StepMetrics& m, const ScalarUnits& units) {
  std::vector<Scalar> scalars;
  const auto add = [&](const std::string& tag, double value) {
    scalars.push_back({tag, m.step, value});
    scalars.push_back({tag + " vs samples", m.consumed_samples, value});
  };
  add("lm loss", m.loss);
  add("learning-rate", m.lr);
  add("batch-size", static_cast<double>(units.batch_size));
  add("grad-norm", m.grad_norm);
  const auto by_step = [&](const char* tag, double value) {
    scalars.push_back({tag, m.step, value});
  };
  by_step("iteration-time", m.step_seconds);
  by_step("throughput", 1e-12 * units.rank_flops / m.step_seconds);
  by_step("tokens-per-second", m.tokens_per_second);
  by_step("mfu", m.mfu);
  by_step("hfu", m.hfu);
  by_step("exposed-communication-seconds", m.exposed_comm_seconds);
  by_step("bubble-seconds", m.bubble_seconds);
  by_step("data-wait-seconds", m.data_wait_seconds);
  by_step("memory-bytes", static_cast<double>(m.memory_bytes));
  by_step("skipped-steps", static_cast<double>(m.skipped_steps));
  const auto add_validation = [&](const std::string& tag, double loss) {
    add(tag, loss);
    if (!m.rewards) add(tag + " ppl", std::exp(loss));  // the loss of pairs has no perplexity
  };
  if (m.validation_loss) add_validation("lm loss validation", *m.validation_loss);
  for (const auto& [name, loss] : m.validation_losses)
    add_validation("lm loss validation " + name, loss);
  const auto add_rewards = [&](const std::string& group, const auto& rewards) {
    if (!rewards) return;
    by_step((group + "rewards/chosen").c_str(), rewards->chosen);
    by_step((group + "rewards/rejected").c_str(), rewards->rejected);
    by_step((group + "rewards/margins").c_str(), rewards->margin());
    by_step((group + "rewards/accuracies").c_str(), rewards->accuracy);
  };
  add_rewards("", m.rewards);
  add_rewards("validation_", m.validation_rewards);
  return scalars;
}

EventFile::EventFile(const std::filesystem::path& directory, std::int64_t steps_done) {
  make_directories(directory);
  path_ = name_of_file(directory);
  file_ = open_file(path_, OpenMode::create);
  const std::string start = varint_field(kSessionStatus, kSessionStart);
  write_all(file_,
            event(0, bytes_field(kFileVersion, "brain.Event:2")) +
                event(steps_done + 1, bytes_field(kSessionLog, start)),
            path_);
}

void EventFile::write(std::span<const Scalar> scalars) {
  std::string records;
  for (const Scalar& scalar : scalars) {
    const std::string value = bytes_field(kValueTag, scalar.tag) +
                              float_field(kValueSimple, static_cast<float>(scalar.value));
    records += event(scalar.step, bytes_field(kSummary, bytes_field(kSummaryValue, value)));
  }
  write_all(file_, records, path_);
}

}  // namespace megascale::train
