// The start of a rank as a chain of store requests. Every step sends a batch of requests and names
// the function that processes the replies (`next_`):
//
//   publish own records, count the arrival -> wait for the verdict -> fetch the peers' records
//   the last rank to arrive                -> read all records -> announce the verdict -> ...
//   a rank whose wait times out first      -> read all records -> announce who is missing -> ...
//   a second process with the same rank    -> announce that as an error -> ...
//
// The verdict is written with set_new, so the first one counts for all ranks.
#include "megascale/comm/bootstrap/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "megascale/comm/store/limits.h"

namespace megascale::comm {
namespace {

using namespace std::chrono_literals;

constexpr const char* kArrived = "arrived";      // counter: ranks that have published their record
constexpr const char* kVerdict = "verdict";      // value: the verdict, written once
constexpr const char* kDiagnosis = "diagnosis";  // counter: the first rank to count it diagnoses
// After the timeout: time for the diagnosing rank to announce which ranks are missing.
constexpr std::chrono::milliseconds kDiagnosisTime = 10s;
constexpr std::size_t kKeysPerRequest = 1024;

// Returns get requests for the records of `ranks`, as few as the limits of a request allow. `key`
// returns the key of a rank's record. `nbytes` is the size of this rank's own record. Other records
// are about as large, so replies are planned for half the largest frame.
std::vector<StoreRequest> requests_for(std::span<const std::uint32_t> ranks,
                                       std::string (*key)(std::uint32_t), std::size_t nbytes) {
  const std::size_t per_request =
      std::clamp<std::size_t>(kMaxFrameNbytes / 2 / nbytes, 1, kKeysPerRequest);
  std::vector<StoreRequest> requests;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i % per_request == 0) requests.push_back({.op = StoreOp::get});
    requests.back().keys.push_back(key(ranks[i]));
  }
  return requests;
}

// Returns `record` if it belongs to `rank`, otherwise an error: the store holds the record of
// another rank there, or no valid record.
template <class Record>
Result<Record> check_rank(Result<Record> record, std::uint32_t rank) {
  if (record && record->rank == rank) return record;
  Error error = record ? Error(ErrorCode::corrupt_data, fmt::format("found rank {}", record->rank))
                       : record.error();
  error.add_context(fmt::format("reading the record of rank {} in the store", rank));
  return tl::unexpected(std::move(error));
}

}  // namespace

std::string launch_key(std::uint32_t rank) { return fmt::format("launch/{}", rank); }

std::string record_key(std::uint32_t rank) { return fmt::format("rank/{}", rank); }

std::vector<std::uint32_t> peers_of(std::uint32_t self,
                                    const std::vector<std::vector<std::uint32_t>>& groups) {
  std::vector<std::uint32_t> peers;
  for (const auto& group : groups) peers.insert(peers.end(), group.begin(), group.end());
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  std::erase(peers, self);
  return peers;
}

const RankRecord* Launch::find(std::uint32_t rank) const noexcept {
  const auto at =
      std::lower_bound(records.begin(), records.end(), rank,
                       [](const RankRecord& r, std::uint32_t of) { return r.rank < of; });
  return at != records.end() && at->rank == rank ? &*at : nullptr;
}

Bootstrap::Bootstrap(StoreClient& store, BootstrapOptions options)
    : store_(store),
      options_(std::move(options)),
      peers_(peers_of(options_.self.rank, options_.groups)),
      patience_(fmt::format("{} s", static_cast<double>(options_.timeout.count()) * 1e-3)) {
  MEGASCALE_CHECK(options_.self.rank < options_.world_size &&
                      (peers_.empty() || peers_.back() < options_.world_size),
                  "ranks are below the world size");
  const std::uint32_t rank = options_.self.rank;
  const LaunchRecord launch{.rank = rank,
                            .world_size = options_.world_size,
                            .hostname = options_.self.host.hostname,
                            .pid = options_.self.host.pid,
                            .digest = options_.digest};
  std::vector<std::string> records{encode(options_.self), encode(launch)};
  record_nbytes_ = std::max(records[0].size(), records[1].size());
  ask({{.op = StoreOp::set_new,
        .keys = {record_key(rank), launch_key(rank)},
        .values = std::move(records)},
       {.op = StoreOp::add, .keys = {kArrived}, .number = 1}},
      &Bootstrap::after_publishing);
}

void Bootstrap::ask(std::vector<StoreRequest> batch, Next next) {
  next_ = next;
  store_.start(std::move(batch));
}

void Bootstrap::fail(Error error) {
  error_ = std::move(error);
  next_ = nullptr;
}

bool Bootstrap::poll() {
  while (next_ != nullptr && store_.poll()) {
    auto replies = store_.take();
    if (!replies) {
      Error error = replies.error();
      error.add_context(
          fmt::format("starting rank {} of {}", options_.self.rank, options_.world_size));
      fail(std::move(error));
    } else {
      (this->*next_)(*replies);
    }
  }
  return next_ == nullptr;
}

Result<Launch> Bootstrap::take() {
  MEGASCALE_CHECK(next_ == nullptr, "the bootstrap is over");
  if (error_) return tl::unexpected(*error_);
  return std::move(launch_);
}

void Bootstrap::after_publishing(Replies& replies) {
  if (replies[0].status == StoreStatus::exists) {
    return ask({{.op = StoreOp::get, .keys = {launch_key(options_.self.rank)}}},
               &Bootstrap::after_finding_a_double);
  }
  if (replies[1].number == options_.world_size) return read_all();
  ask({{.op = StoreOp::get, .keys = {kVerdict}, .timeout = options_.timeout}},
      &Bootstrap::after_waiting);
}

// Announces the error to all ranks, since the rank number that the second process should have had
// will never arrive.
void Bootstrap::after_finding_a_double(Replies& replies) {
  const auto& bytes = replies[0].values[0];
  const auto other = parse_launch_record(bytes.value_or(""));
  announce({.error = Error(
                ErrorCode::bad_usage,
                fmt::format("two processes were started as rank {}: {}, and process {} on host {}; "
                            "give each its own RANK, and a job that is started again its own "
                            "MEGASCALE_JOB_ID",
                            options_.self.rank, other ? name_of(*other) : "an unknown one",
                            options_.self.host.pid, options_.self.host.hostname))});
}

void Bootstrap::read_all() {
  std::vector<std::uint32_t> all(options_.world_size);
  std::iota(all.begin(), all.end(), 0U);
  ask(requests_for(all, launch_key, record_nbytes_), &Bootstrap::after_reading_all);
}

void Bootstrap::after_reading_all(Replies& replies) {
  std::vector<std::optional<LaunchRecord>> records;
  for (StoreReply& reply : replies) {
    for (const auto& bytes : reply.values) {
      auto& record = records.emplace_back();
      if (!bytes) continue;
      auto parsed =
          check_rank(parse_launch_record(*bytes), static_cast<std::uint32_t>(records.size() - 1));
      if (!parsed) return announce({.error = parsed.error()});
      record = std::move(*parsed);
    }
  }
  announce(judge(records, patience_));
}

// Publishes a verdict, unless there is one already, and reads the verdict that counts.
void Bootstrap::announce(const Verdict& verdict) {
  ask({{.op = StoreOp::set_new, .keys = {kVerdict}, .values = {encode(verdict)}},
       {.op = StoreOp::get, .keys = {kVerdict}}},
      &Bootstrap::after_verdict);
}

void Bootstrap::after_waiting(Replies& replies) {
  if (replies[0].status == StoreStatus::ok) return after_verdict(replies);
  ask({{.op = StoreOp::add, .keys = {kDiagnosis}, .number = 1}}, &Bootstrap::after_claiming);
}

// The wait for the verdict has timed out on several ranks. Only the first of them reads all
// records; the others wait for its verdict.
void Bootstrap::after_claiming(Replies& replies) {
  if (replies[0].number == 1) return read_all();
  ask({{.op = StoreOp::get, .keys = {kVerdict}, .timeout = kDiagnosisTime}},
      &Bootstrap::after_verdict);
}

void Bootstrap::after_verdict(Replies& replies) {
  const auto& bytes = replies.back().values[0];
  if (!bytes) {
    return fail(
        Error(ErrorCode::timeout,
              fmt::format("not all {} ranks arrived within {}, and the rank that should report "
                          "which are missing is silent; look at the logs of the other ranks",
                          options_.world_size, patience_)));
  }
  auto verdict = parse_verdict(*bytes);
  if (!verdict) return fail(verdict.error());
  if (verdict->error) return fail(*verdict->error);
  launch_.vector_target = std::move(verdict->vector_target);
  ask(requests_for(peers_, record_key, record_nbytes_), &Bootstrap::after_fetching);
}

void Bootstrap::after_fetching(Replies& replies) {
  launch_.records.reserve(peers_.size() + 1);
  auto rank = peers_.begin();
  for (StoreReply& reply : replies) {
    for (const auto& bytes : reply.values) {
      auto record = check_rank(parse_rank_record(bytes.value_or("")), *rank++);
      if (!record) return fail(record.error());
      launch_.records.push_back(std::move(*record));
    }
  }
  const auto place = std::find_if(launch_.records.begin(), launch_.records.end(),
                                  [&](const RankRecord& r) { return r.rank > options_.self.rank; });
  launch_.records.insert(place, options_.self);
  next_ = nullptr;
}

std::vector<StoreRequest> refusal(const Error& error, std::uint32_t arrivals,
                                  std::chrono::milliseconds patience) {
  std::vector<StoreRequest> requests{
      {.op = StoreOp::set_new, .keys = {kVerdict}, .values = {encode(Verdict{.error = error})}},
      {.op = StoreOp::add, .keys = {kArrived}, .number = 1}};
  if (arrivals > 0) {
    requests.push_back(
        {.op = StoreOp::wait, .keys = {kArrived}, .number = arrivals, .timeout = patience});
  }
  return requests;
}

Result<Launch> run(Startup& startup, StoreClient& store, PollSet& polls) {
  while (!startup.poll()) {
    const auto left = store.next_poll() - std::chrono::steady_clock::now();
    polls.wait(std::chrono::ceil<std::chrono::milliseconds>(left));
  }
  return startup.take();
}

}  // namespace megascale::comm
