#ifndef MEGASCALE_COMM_BOOTSTRAP_RANK_RECORD_H_
#define MEGASCALE_COMM_BOOTSTRAP_RANK_RECORD_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "megascale/base/error.h"

// The records that ranks exchange through the rendezvous store when a job starts, and the
// comparison of all ranks' records. All functions may be called from any thread.
namespace megascale::comm {

// The host of a process. Two processes with the same host_id can share memory, and a process id
// means the same process for both.
struct HostIdentity {
  std::string hostname;  // for messages
  std::string host_id;   // digest of the kernel's boot id and the process id namespace
  std::int64_t pid = 0;
  bool operator==(const HostIdentity&) const = default;
};
// Returns the identity of this process on its host.
[[nodiscard]] HostIdentity this_process();

// The parts of a launch that must be equal on all ranks before a step runs. A plan is verified for
// all ranks together, so every rank must run exactly that plan. Digests are texts (base/digest.h).
struct LaunchDigest {
  std::string configuration;
  std::string binary;
  std::string plan;
  std::string data;  // of the content of the data sets; empty if the job reads none
  std::uint32_t threads_per_rank = 0;
  // The vector instructions that kernels use, and their level for comparison. They need not be
  // equal: all ranks use the lowest level of all, so that their results have the same bits.
  std::string vector_target;
  std::uint32_t vector_level = 0;
  bool operator==(const LaunchDigest&) const = default;
};
// Returns the digest of the executable file of this process. Throws Error (io).
[[nodiscard]] std::string digest_of_this_binary();

// The record that a rank's peers read: how to reach it.
struct RankRecord {
  std::uint32_t rank = 0;
  HostIdentity host;
  std::string endpoint;  // opaque bytes; the transport needs them to reach this rank
  bool operator==(const RankRecord&) const = default;
};
[[nodiscard]] std::string encode(const RankRecord& record);
// The parse functions return Error (corrupt_data) if the bytes are no such record of this version.
[[nodiscard]] Result<RankRecord> parse_rank_record(std::string_view bytes);

// The record that is compared among all ranks: how a rank was started.
struct LaunchRecord {
  std::uint32_t rank = 0, world_size = 0;
  std::string hostname;
  std::int64_t pid = 0;
  LaunchDigest digest;
  bool operator==(const LaunchRecord&) const = default;
};
[[nodiscard]] std::string encode(const LaunchRecord& record);
[[nodiscard]] Result<LaunchRecord> parse_launch_record(std::string_view bytes);
// Returns the rank in words, for messages: "rank 3 (host a, process 17)".
[[nodiscard]] std::string name_of(const LaunchRecord& record);

// The result of the comparison of all ranks: an error for all of them, or the common settings.
struct Verdict {
  std::optional<Error> error;
  std::string vector_target;  // the lowest of all ranks; empty with an error
};
[[nodiscard]] std::string encode(const Verdict& verdict);
[[nodiscard]] Result<Verdict> parse_verdict(std::string_view bytes);

// Compares the records of all ranks. records[r] is the record of rank r, absent if that rank has
// not arrived. If ranks differ in a part, the most common value counts as the intended one; among
// equally common values, the one of the lowest rank. Error bad_usage names the other ranks and the
// part. Error timeout names missing ranks and the time that the others have waited: `patience`, as
// text with its unit.
[[nodiscard]] Verdict judge(std::span<const std::optional<LaunchRecord>> records,
                            std::string_view patience);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_BOOTSTRAP_RANK_RECORD_H_
