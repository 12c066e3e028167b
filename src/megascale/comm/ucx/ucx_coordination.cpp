// A call runs collectives in the groups of this rank: from the lowest level up to collect messages,
// and from the highest down to distribute them. A message is sent in a frame of fixed size first; a
// second collective carries the rest of long messages.
#include "megascale/comm/ucx/ucx_coordination.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "megascale/comm/store/bytes.h"

namespace megascale::comm {
namespace {

using Clock = std::chrono::steady_clock;

// A roll call ends after kPauseLooks polls in a row without an answer, or after kRollCallLooks
// polls. The bounds are polls of kLook and not seconds: on an overloaded host the rank that asks is
// as slow as those that answer.
constexpr std::chrono::milliseconds kLook{50};
constexpr int kPauseLooks = 20, kRollCallLooks = 100;

// The first part of a message, of fixed size. Most messages fit in it; the rest of a longer one
// follows.
struct Frame {
  std::uint64_t nbytes = 0;
  std::array<char, 56> head{};

  static Frame of(std::string_view message) {
    Frame frame{.nbytes = message.size()};
    std::copy_n(message.begin(), std::min(message.size(), frame.head.size()), frame.head.begin());
    return frame;
  }
  [[nodiscard]] std::size_t rest() const noexcept { return nbytes - std::min(nbytes, head.size()); }
  [[nodiscard]] std::string text() const {
    return {head.data(), std::min<std::size_t>(nbytes, head.size())};
  }
};
static_assert(sizeof(Frame) == 64);

std::size_t count_levels(const UcxCoordination::Options& options) {
  std::size_t levels = 1;
  for (std::uint64_t reach = options.group_max; reach < options.world_size;
       reach *= options.group_max) {
    ++levels;
  }
  return levels;
}

}  // namespace

// The worker's events, with a deadline: a thread that sleeps on them also wakes at the deadline. The
// deadline is `bound` after now, or, if `limited_since` is given, after the later of now and that
// time. A bound of 0 is no deadline.
class UcxCoordination::Patience final : public EventSource {
 public:
  Patience(UcxWorker& worker, Clock::duration bound,
           const std::atomic<std::int64_t>* limited_since = nullptr)
      : worker_(&worker), bound_(bound), limited_since_(limited_since) {}
  [[nodiscard]] bool is_over() const noexcept { return Clock::now() >= end(); }
  bool progress() noexcept override { return worker_->progress(); }
  int arm() noexcept override {
    const int most = worker_->arm();
    const Clock::time_point end = this->end();
    if (end == Clock::time_point::max()) return most;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    const auto bounded = static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
    return most == kForEver ? bounded : std::min(most, bounded);
  }
  [[nodiscard]] int descriptor() const noexcept override { return worker_->descriptor(); }

 private:
  [[nodiscard]] Clock::time_point end() const noexcept {
    if (bound_.count() == 0) return Clock::time_point::max();
    if (limited_since_ == nullptr) return begin_ + bound_;
    const std::int64_t since = limited_since_->load();
    if (since == kUnlimited) return Clock::time_point::max();
    return std::max(begin_, Clock::time_point(Clock::duration(since))) + bound_;
  }
  UcxWorker* worker_;
  Clock::time_point begin_ = Clock::now();
  Clock::duration bound_;
  const std::atomic<std::int64_t>* limited_since_;
};

std::vector<std::vector<std::uint32_t>> UcxCoordination::groups(const Options& options) {
  std::vector<std::vector<std::uint32_t>> groups;
  std::uint64_t step = 1;
  for (std::size_t level = 0; level < count_levels(options); ++level) {
    const std::uint64_t reach = step * options.group_max, first = options.rank / reach * reach;
    auto& members = groups.emplace_back();
    for (std::uint64_t r = first; r < std::min<std::uint64_t>(first + reach, options.world_size);
         r += step) {
      members.push_back(static_cast<std::uint32_t>(r));
    }
    if (options.rank != first) break;
    step = reach;
  }
  return groups;
}

UcxCoordination::UcxCoordination(UcxWorker& worker, Wakeup& wakeup, const Options& options,
                                 const AddressOf& address_of)
    : options_(options), worker_(&worker), wakeup_(&wakeup), level_count_(count_levels(options)) {
  for (auto& members : groups(options)) {
    std::vector<std::vector<std::byte>> addresses;
    for (const std::uint32_t member : members) addresses.push_back(address_of(member));
    const auto me = static_cast<std::uint32_t>(
        std::find(members.begin(), members.end(), options.rank) - members.begin());
    auto group =
        worker.make_group(addresses, me, fmt::format("coordination level {}", levels_.size()));
    if (!roll_call_) roll_call_ = worker.make_group(addresses, me, "roll call");
    levels_.push_back({std::move(members), std::move(group)});
  }
}

std::string UcxCoordination::broadcast(std::string message, std::string_view about) {
  for (std::size_t level = levels_.size(); level-- > 0;)
    message = from_first(level, std::move(message), about);
  return message;
}

std::vector<std::string> UcxCoordination::gather(std::string message, std::string_view about) {
  // The messages of consecutive ranks that begin with this one, each after its length.
  std::string bundle;
  ByteWriter(bundle).text(message);
  for (std::size_t level = 0; level < levels_.size(); ++level)
    bundle = fmt::to_string(fmt::join(exchange(level, bundle, about), ""));
  std::vector<std::string> all;
  if (options_.rank != 0) return all;
  ByteReader reader(bundle);
  while (reader.left() > 0) all.emplace_back(reader.text());
  MEGASCALE_CHECK(all.size() == options_.world_size, "every rank has said something");
  return all;
}

bool UcxCoordination::any(bool mine, std::string_view about) {
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const auto all = exchange(level, mine ? "yes" : "", about);
    mine = std::any_of(all.begin(), all.end(), [](const std::string& one) { return !one.empty(); });
  }
  // In the highest group every member has heard from every other. The lower groups learn the result
  // from their first member.
  for (std::size_t level = levels_.size() - (is_at_top() ? 1 : 0); level-- > 0;)
    mine = !from_first(level, mine ? "yes" : "", about).empty();
  return mine;
}

Coordination::Near UcxCoordination::near() const noexcept {
  const auto& members = levels_.front().members;
  return {.first = members.front(), .count = static_cast<std::uint32_t>(members.size())};
}

void UcxCoordination::shift(std::span<const std::byte> send, std::span<std::byte> receive,
                            std::uint32_t offset, std::string_view about) {
  run(0, {.rule = &transfer_rules::shift, .send = send, .receive = receive, .offset = offset},
      /*patience=*/1, about);
}

std::vector<std::string> UcxCoordination::exchange(std::size_t level, const std::string& message,
                                                   std::string_view about) {
  const double patience = 1 + 0.1 * static_cast<double>(level);
  const std::size_t size = levels_[level].members.size();
  const Frame mine = Frame::of(message);
  std::vector<Frame> frames(size);
  run(level,
      {.rule = &transfer_rules::all_gather,
       .send = std::as_bytes(std::span(&mine, 1)),
       .receive = std::as_writable_bytes(std::span(frames))},
      patience, about);
  std::vector<std::string> all;
  std::size_t longest = 0;
  for (const Frame& frame : frames) {
    longest = std::max(longest, frame.rest());
    all.push_back(frame.text());
  }
  if (longest == 0) return all;
  std::string rest(longest, '\0'), rests(size * longest, '\0');
  message.copy(rest.data(), mine.rest(), mine.head.size() < message.size() ? mine.head.size() : 0);
  run(level,
      {.rule = &transfer_rules::all_gather,
       .send = std::as_bytes(std::span(rest)),
       .receive = std::as_writable_bytes(std::span(rests))},
      patience, about);
  for (std::size_t i = 0; i < size; ++i) all[i].append(rests, i * longest, frames[i].rest());
  return all;
}

std::string UcxCoordination::from_first(std::size_t level, std::string message,
                                        std::string_view about) {
  const double patience = 1 + 0.1 * static_cast<double>(2 * level_count_ - 1 - level);
  Frame frame = Frame::of(message);
  run(level,
      {.rule = &transfer_rules::broadcast, .receive = std::as_writable_bytes(std::span(&frame, 1))},
      patience, about);
  if (levels_[level].members.front() != options_.rank) message = frame.text();
  if (frame.rest() == 0) return message;
  message.resize(frame.nbytes);
  run(level,
      {.rule = &transfer_rules::broadcast,
       .receive = std::as_writable_bytes(std::span(message)).subspan(frame.head.size())},
      patience, about);
  return message;
}

void UcxCoordination::run(std::size_t level, const Transfer& transfer, double patience,
                          std::string_view about) {
  Communicator& group = *levels_[level].group;
  const auto bound = std::chrono::duration_cast<Clock::duration>(options_.timeout * patience);
  Patience until(*worker_, bound, &limited_since_);
  bool given_up = false;
  group.start(transfer);
  for (;;) {
    const std::uint32_t epoch = wakeup_->epoch();
    const Progress progress = group.poll();
    if (progress == Progress::done) break;
    if (progress == Progress::failed) {
      Error error = group.error();
      abort(error);
      if (!given_up) {
        error.add_context(fmt::format("rank {} waited for the others: {}", options_.rank, about));
      }
      throw error;
    }
    if (!given_up && until.is_over()) {
      given_up = true;
      abort(missing(levels_[level], about));
      continue;  // poll until the other members know of it
    }
    wakeup_->wait(epoch, until);
  }
  // The others wait for the messages of this rank. Send them now, since nobody polls the worker
  // until the next call, which may be minutes away.
  while (worker_->is_sending() && !until.is_over()) {
    if (!worker_->progress()) wakeup_->wait(wakeup_->epoch(), until);
  }
}

Error UcxCoordination::missing(const Level& level, std::string_view about) const {
  const Awaited awaited = level.group->awaited();
  std::vector<std::uint32_t> ranks;
  for (const std::uint32_t member : awaited.members) ranks.push_back(level.members[member]);
  return {ErrorCode::timeout,
          fmt::format("rank {} has waited {} s (control.timeout_seconds) for {} {}: {}",
                      options_.rank, std::chrono::duration<double>(options_.timeout).count(),
                      ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "), about)};
}

std::vector<std::uint32_t> UcxCoordination::silent_ranks() {
  roll_call_->start({.rule = &transfer_rules::barrier});
  std::vector<std::uint32_t> silent = roll_call_->awaited().members;
  // A poll is counted once kLook has passed since the last one that was. Wakes in between do not
  // start that time anew: while a message waits for a stopped rank, there is one every millisecond.
  Clock::time_point end_of_look = Clock::now() + kLook;
  for (int looks = 0, pause = 0; pause < kPauseLooks && looks < kRollCallLooks;) {
    const std::uint32_t epoch = wakeup_->epoch();
    const Progress progress = roll_call_->poll();
    if (progress == Progress::done) return {};
    if (progress == Progress::failed) break;  // a rank has ended instead of answering
    const auto awaited = roll_call_->awaited().members;
    if (awaited.size() < silent.size()) {
      silent = awaited;
      pause = 0;
    }
    Patience until(*worker_, std::max(end_of_look - Clock::now(), Clock::duration(1)));
    wakeup_->wait(epoch, until);
    if (!until.is_over()) continue;
    end_of_look = Clock::now() + kLook;
    ++looks;
    ++pause;
  }
  for (std::uint32_t& member : silent) member = levels_.front().members[member];
  return silent;
}

void UcxCoordination::limit_waits(bool limited) noexcept {
  limited_since_ = limited ? Clock::now().time_since_epoch().count() : kUnlimited;
  wakeup_->notify();  // a call that sleeps takes the new deadline
}

void UcxCoordination::abort(const Error& error) noexcept {
  for (const Level& level : levels_) level.group->abort(error);
}

}  // namespace megascale::comm
