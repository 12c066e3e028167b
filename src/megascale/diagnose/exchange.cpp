#include "megascale/diagnose/exchange.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"

namespace megascale::diagnose {
namespace {

constexpr int kRuns = 8;

template <class T>
std::span<T> words_of(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

// The word that member `from` sends to member `to` at index i.
std::uint32_t word(std::uint32_t from, std::uint32_t to, std::size_t i) noexcept {
  return static_cast<std::uint32_t>(i) * 2654435761U ^ (from << 20U) ^ (to << 8U);
}
// The summand of a member: a whole number, so that sums are exact.
float summand(std::uint32_t member, std::size_t i) noexcept {
  return static_cast<float>((i + std::size_t{7} * member) % 97);
}

void fill(const Exchange& exchange, std::span<std::byte> send) {
  if (exchange.rule->sum) {
    const auto values = words_of<float>(send);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = summand(exchange.my_index, i);
    return;
  }
  const auto words = words_of<std::uint32_t>(send);
  const std::size_t block = words.size() / exchange.members.size();
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = word(exchange.my_index, static_cast<std::uint32_t>(i / block), i % block);
}

// Returns the number of words that differ from what must have arrived.
std::size_t wrong_words(const Exchange& exchange, std::span<std::byte> received) {
  const auto members = static_cast<std::uint32_t>(exchange.members.size());
  std::size_t wrong = 0;
  if (exchange.rule->sum) {
    const auto values = words_of<float>(received);
    for (std::size_t i = 0; i < values.size(); ++i) {
      float sum = 0;
      for (std::uint32_t member = 0; member < members; ++member) sum += summand(member, i);
      wrong += values[i] == sum ? 0 : 1;
    }
    return wrong;
  }
  const auto words = words_of<std::uint32_t>(received);
  const std::size_t block = words.size() / members;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto from = static_cast<std::uint32_t>(i / block);
    wrong += words[i] == word(from, exchange.my_index, i % block) ? 0 : 1;
  }
  return wrong;
}

void run_until(comm::Communicator& end, const comm::Transfer& transfer, EventSource& events,
               const Exchange& exchange, std::int64_t end_ns) {
  end.start(transfer);
  for (;;) {
    const comm::Progress progress = end.poll();
    if (progress == comm::Progress::done) return;
    if (progress == comm::Progress::failed) throw end.error();
    if (events.progress()) continue;
    if (monotonic_ns() > end_ns) {
      std::vector<std::uint32_t> awaited;
      for (const std::uint32_t member : end.awaited().members)
        awaited.push_back(exchange.members[member]);
      throw Error(ErrorCode::timeout,
                  fmt::format("{} does not end; it waits for {} {}", exchange.rule->name,
                              awaited.size() == 1 ? "rank" : "ranks", fmt::join(awaited, ", ")));
    }
    (void)::sched_yield();
  }
}

}  // namespace

double run_exchange(comm::ProcessRank& rank, std::span<std::byte> memory, const Exchange& exchange,
                    double limit_seconds) {
  const std::size_t members = exchange.members.size();
  const std::size_t unit = members * sizeof(float);
  const std::size_t nbytes = memory.size() / 2 / unit * unit;
  const auto send = memory.first(nbytes), receive = memory.subspan(memory.size() / 2, nbytes);
  comm::Communicator& end = rank.end(exchange.key, exchange.members, exchange.my_index, nullptr);
  const std::int64_t end_ns = monotonic_ns() + static_cast<std::int64_t>(limit_seconds * 1e9);
  fill(exchange, send);
  std::int64_t best_ns = INT64_MAX;
  for (int run = 0; run < kRuns; ++run) {
    if (exchange.rule->memory == TransferRule::Memory::same) {
      fill(exchange, receive);
    } else {
      std::fill(receive.begin(), receive.end(), std::byte{0xA5});
    }
    const std::int64_t begin_ns = monotonic_ns();
    run_until(end, {.rule = exchange.rule, .send = send, .receive = receive}, rank.events(),
              exchange, end_ns);
    best_ns = std::min(best_ns, std::max<std::int64_t>(monotonic_ns() - begin_ns, 1));
    if (const std::size_t wrong = wrong_words(exchange, receive); wrong > 0) {
      throw Error(ErrorCode::corrupt_data,
                  fmt::format("{} of {} words of {} are not those that were sent", wrong,
                              nbytes / sizeof(float), exchange.rule->name));
    }
  }
  const double share = (static_cast<double>(members) - 1) / static_cast<double>(members);
  return static_cast<double>(nbytes) * share * (exchange.rule->sum ? 2 : 1) /
         (static_cast<double>(best_ns) * 1e-9);
}

}  // namespace megascale::diagnose
