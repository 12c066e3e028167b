#ifndef MEGASCALE_COMM_BOOTSTRAP_RANK_RECORD_H_
#define MEGASCALE_COMM_BOOTSTRAP_RANK_RECORD_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "megascale/base/error.h"

namespace megascale::comm {

// Where a process runs. Two with one host_id share memory, and process numbers mean the same to
// both.
struct HostIdentity {
  std::string hostname;  // for messages
  std::string host_id;   // digest of the kernel's boot id and the process namespace
  std::int64_t pid = 0;
  bool operator==(const HostIdentity&) const = default;
};
[[nodiscard]] HostIdentity this_process();

// What must be the same on all ranks before a step runs: what was verified is what runs. Digests
// are texts (base/digest.h), compared as such.
struct LaunchDigest {
  std::string configuration;
  std::string binary;
  std::string plan;
  std::uint32_t threads_per_rank = 0;
  // Not compared but agreed on: ranks use the lowest level of all, so that the bits are the same.
  std::string vector_target;
  std::uint32_t vector_level = 0;
  bool operator==(const LaunchDigest&) const = default;
};
// Of the file that this process executes.
[[nodiscard]] std::string digest_of_this_binary();

// What a rank tells its peers.
struct RankRecord {
  std::uint32_t rank = 0;
  HostIdentity host;
  std::string endpoint;  // opaque: what a transport needs to reach this rank
  bool operator==(const RankRecord&) const = default;
};
[[nodiscard]] std::string encode(const RankRecord& record);
// Corrupt_data: not a record of this version.
[[nodiscard]] Result<RankRecord> parse_rank_record(std::string_view bytes);

// What a rank tells the one that compares all.
struct LaunchRecord {
  std::uint32_t rank = 0, world_size = 0;
  std::string hostname;
  std::int64_t pid = 0;
  LaunchDigest digest;
  bool operator==(const LaunchRecord&) const = default;
};
[[nodiscard]] std::string encode(const LaunchRecord& record);
[[nodiscard]] Result<LaunchRecord> parse_launch_record(std::string_view bytes);
// "rank 3 (host a, process 17)".
[[nodiscard]] std::string name_of(const LaunchRecord& record);

// The outcome of comparing all ranks: an error for everybody, or what they agreed on.
struct Verdict {
  std::optional<Error> error;
  std::string vector_target;  // the lowest of all ranks
};
[[nodiscard]] std::string encode(const Verdict& verdict);
[[nodiscard]] Result<Verdict> parse_verdict(std::string_view bytes);

// Compares the records by rank; null: that rank has not arrived. Where ranks differ the most common
// value counts as meant, or rank 0's among equally common ones; the error (bad_usage) names the
// others and which part differs. A rank that is missing is an error (timeout) that names it and
// `patience`, how long the others waited.
[[nodiscard]] Verdict judge(std::span<const std::optional<LaunchRecord>> records,
                            std::string_view patience);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_BOOTSTRAP_RANK_RECORD_H_
