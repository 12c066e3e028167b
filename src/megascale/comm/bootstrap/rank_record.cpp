// Encoding of the records that ranks exchange through the store, and the comparison of all launch
// records (judge()). Every record begins with a magic text that contains its version. A record that
// cannot be decoded is therefore reported as one of another version, not misread.
#include "megascale/comm/bootstrap/rank_record.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <functional>
#include <map>
#include <vector>

#include "megascale/base/digest.h"
#include "megascale/base/files.h"
#include "megascale/comm/store/bytes.h"

namespace megascale::comm {
namespace {

constexpr std::string_view kRankMagic = "MGRANK01", kLaunchMagic = "MGLNCH02";
// The largest number of ranks that a message names.
constexpr std::size_t kNamed = 8;

// A part of the launch record that must be equal on all ranks, with the advice for the message.
struct Part {
  std::string_view name;
  std::string (*value)(const LaunchRecord&);
  std::string_view advice;
};
constexpr std::array kParts{
    Part{"world size", [](const LaunchRecord& r) { return std::to_string(r.world_size); },
         "give every process the same WORLD_SIZE"},
    Part{"configuration", [](const LaunchRecord& r) { return r.digest.configuration; },
         "start every rank with the same configuration file and overrides"},
    Part{"binary", [](const LaunchRecord& r) { return r.digest.binary; },
         "install the same build on every host"},
    Part{
        "plan", [](const LaunchRecord& r) { return r.digest.plan; },
        "the plan follows from the configuration and the binary: compare these, and the files that "
        "the configuration names"},
    Part{"content of the data sets", [](const LaunchRecord& r) { return r.digest.data; },
         "copy the same .bin and .idx files to every host, or read them from a shared file system"},
    Part{"number of threads per rank",
         [](const LaunchRecord& r) { return std::to_string(r.digest.threads_per_rank); },
         "set train.threads_per_rank if hosts have different numbers of cores"},
};

template <class Names>
std::string join_some(const Names& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", names[i]);
  if (names.size() > kNamed) text += fmt::format(" and {} more", names.size() - kNamed);
  return text;
}

std::string read_link(const char* path) {
  std::array<char, PATH_MAX> buffer{};
  const ssize_t count = ::readlink(path, buffer.data(), buffer.size());
  return count < 0 ? std::string() : std::string(buffer.data(), static_cast<std::size_t>(count));
}

// Returns the value that most ranks have. Among equally common values, the one of the lowest rank.
std::string common_value(const std::vector<const LaunchRecord*>& present, const Part& part) {
  std::map<std::string, std::size_t> counts;
  for (const LaunchRecord* record : present) ++counts[part.value(*record)];
  std::string best;
  std::size_t most = 0;
  for (const LaunchRecord* record : present) {
    const std::string value = part.value(*record);
    if (counts[value] > most) {
      most = counts[value];
      best = value;
    }
  }
  return best;
}

std::optional<Error> find_difference(const std::vector<const LaunchRecord*>& present,
                                     const Part& part) {
  const std::string meant = common_value(present, part);
  std::vector<std::string> others;
  std::string found;
  for (const LaunchRecord* record : present) {
    if (part.value(*record) == meant) continue;
    if (others.empty()) found = part.value(*record);
    others.push_back(name_of(*record));
  }
  if (others.empty()) return std::nullopt;
  return Error(
      ErrorCode::bad_usage,
      fmt::format("{} {} started with another {} than the other {} ranks: {}, expected {}; {}",
                  join_some(others), others.size() == 1 ? "was" : "were", part.name,
                  present.size() - others.size(), found, meant, part.advice));
}

// Returns a reader of the bytes after the magic text. If the magic is wrong, the reader is empty
// and never complete().
ByteReader after_magic(std::string_view bytes, std::string_view magic) {
  ByteReader nothing("");
  (void)nothing.number<std::uint8_t>();
  return bytes.starts_with(magic) ? ByteReader(bytes.substr(magic.size())) : nothing;
}

Error no_record(std::string_view bytes) {
  return {ErrorCode::corrupt_data,
          fmt::format("{} bytes that are no record of a rank (another version of megascale?)",
                      bytes.size())};
}

}  // namespace

HostIdentity this_process() {
  std::array<char, HOST_NAME_MAX + 1> hostname{};
  (void)::gethostname(hostname.data(), hostname.size() - 1);
  const std::string boot =
      read_text("/proc/sys/kernel/random/boot_id") + read_link("/proc/self/ns/pid");
  return {.hostname = hostname.data(),
          .host_id =
              fmt::format("{:016x}", digest64(std::as_bytes(std::span(boot.data(), boot.size())))),
          .pid = ::getpid()};
}

std::string digest_of_this_binary() { return digest128(MappedFile("/proc/self/exe").bytes()); }

std::string encode(const RankRecord& record) {
  std::string out(kRankMagic);
  ByteWriter writer(out);
  writer.number(record.rank);
  writer.number(record.host.pid);
  for (const std::string* text : {&record.host.hostname, &record.host.host_id, &record.endpoint})
    writer.text(*text);
  return out;
}

Result<RankRecord> parse_rank_record(std::string_view bytes) {
  RankRecord record;
  ByteReader reader = after_magic(bytes, kRankMagic);
  record.rank = reader.number<std::uint32_t>();
  record.host.pid = reader.number<std::int64_t>();
  for (std::string* text : {&record.host.hostname, &record.host.host_id, &record.endpoint})
    *text = reader.text();
  if (!reader.complete()) return tl::unexpected(no_record(bytes));
  return record;
}

std::string encode(const LaunchRecord& record) {
  std::string out(kLaunchMagic);
  ByteWriter writer(out);
  writer.number(record.rank);
  writer.number(record.world_size);
  writer.number(record.pid);
  writer.number(record.digest.threads_per_rank);
  writer.number(record.digest.vector_level);
  for (const std::string* text :
       {&record.hostname, &record.digest.configuration, &record.digest.binary, &record.digest.plan,
        &record.digest.data, &record.digest.vector_target})
    writer.text(*text);
  return out;
}

Result<LaunchRecord> parse_launch_record(std::string_view bytes) {
  LaunchRecord record;
  ByteReader reader = after_magic(bytes, kLaunchMagic);
  record.rank = reader.number<std::uint32_t>();
  record.world_size = reader.number<std::uint32_t>();
  record.pid = reader.number<std::int64_t>();
  record.digest.threads_per_rank = reader.number<std::uint32_t>();
  record.digest.vector_level = reader.number<std::uint32_t>();
  for (std::string* text : {&record.hostname, &record.digest.configuration, &record.digest.binary,
                            &record.digest.plan, &record.digest.data, &record.digest.vector_target})
    *text = reader.text();
  if (!reader.complete()) return tl::unexpected(no_record(bytes));
  return record;
}

std::string name_of(const LaunchRecord& record) {
  return fmt::format("rank {} (host {}, process {})", record.rank, record.hostname, record.pid);
}

std::string encode(const Verdict& verdict) {
  std::string out;
  ByteWriter writer(out);
  writer.number(static_cast<std::uint8_t>(verdict.error.has_value()));
  writer.number(
      static_cast<std::uint8_t>(verdict.error ? verdict.error->code() : ErrorCode::failed));
  writer.text(verdict.error ? verdict.error->message() : verdict.vector_target);
  return out;
}

Result<Verdict> parse_verdict(std::string_view bytes) {
  ByteReader reader(bytes);
  const auto failed = reader.number<std::uint8_t>(), code = reader.number<std::uint8_t>();
  const std::string text(reader.text());
  constexpr auto kLastCode = static_cast<std::uint8_t>(ErrorCode::failed);
  if (!reader.complete() || failed > 1 || code > kLastCode || (failed == 0 && code != kLastCode))
    return tl::unexpected(Error(ErrorCode::corrupt_data, "bytes that are no verdict of a launch"));
  if (failed == 1) return Verdict{.error = Error(static_cast<ErrorCode>(code), text)};
  return Verdict{.vector_target = text};
}

Verdict judge(std::span<const std::optional<LaunchRecord>> records, std::string_view patience) {
  std::vector<const LaunchRecord*> present;
  std::vector<std::string> missing;
  for (std::size_t rank = 0; rank < records.size(); ++rank) {
    if (records[rank]) {
      present.push_back(&*records[rank]);
    } else {
      missing.push_back(std::to_string(rank));
    }
  }
  std::vector<Error> errors;
  for (const Part& part : kParts) {
    if (auto error = find_difference(present, part)) errors.push_back(std::move(*error));
  }
  if (!missing.empty()) {
    errors.emplace_back(
        ErrorCode::timeout,
        fmt::format(
            "{} of {} ranks did not arrive within {}: {} {}; look at the logs of these processes",
            missing.size(), records.size(), patience, missing.size() == 1 ? "rank" : "ranks",
            join_some(missing)));
  }
  if (!errors.empty()) return {.error = join_errors(errors)};
  const auto lowest = std::min_element(present.begin(), present.end(), [](auto* a, auto* b) {
    return a->digest.vector_level < b->digest.vector_level;
  });
  return {.vector_target = lowest == present.end() ? "" : (*lowest)->digest.vector_target};
}

}  // namespace megascale::comm
