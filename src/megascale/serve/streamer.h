#ifndef MEGASCALE_SERVE_STREAMER_H_
#define MEGASCALE_SERVE_STREAMER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "megascale/config/config.h"
#include "megascale/serve/step_store.h"

namespace megascale::serve {

// Follows the record rings of this host's ranks while they train, reduces every step of every rank to
// a few numbers, and hands them to a sink. It works on two threads of low priority beside the
// ranks: one reads, one writes. The queue between them is bounded: if the sink is slow or stuck,
// the steps that came first are dropped and counted. The ranks never wait for it. For one thread.
class Streamer {
 public:
  // Gets some steps, and how many were dropped since the last call. May throw Error; it is then called
  // no more, and all further steps count as dropped.
  using Sink = std::function<void(std::span<const StoredStep> steps, std::int64_t dropped)>;
  using OnMessage = std::function<void(const std::string&)>;
  struct Options {
    std::chrono::milliseconds period{1000};    // the longest between two looks at the rings
    std::size_t most_waiting = 20'000;         // ranks times steps, about 50 MB
    std::chrono::milliseconds patience{5000};  // how long the destructor waits for the sink
  };
  // Starts. `on_message` is called on a thread of its own, at most once, with the failure of reader
  // or sink.
  Streamer(const Config& config, Sink sink, OnMessage on_message, const Options& options);
  Streamer(const Config& config, Sink sink, OnMessage on_message)
      : Streamer(config, std::move(sink), std::move(on_message), Options()) {}
  Streamer(const Streamer&) = delete;
  Streamer& operator=(const Streamer&) = delete;
  // Reads what the ranks have done until now, and waits until it is written, as far as that takes no
  // longer than the patience.
  ~Streamer();
  // Tells how many steps the ranks had done when they began. Steps from there on that a ring has lost
  // before the first look count as dropped. Any thread may call it.
  void begin(std::int64_t steps_done);
  [[nodiscard]] std::int64_t dropped() const;

 private:
  struct Shared;
  std::shared_ptr<Shared>
      shared_;  // of all threads, since a sink that is stuck may outlive this object
};

// Returns a sink that hands steps to all of these. One that fails is reported and called no more; if all
// have failed, the result fails too.
[[nodiscard]] Streamer::Sink join_sinks(std::vector<Streamer::Sink> sinks,
                                        Streamer::OnMessage on_message);
// Returns a sink that writes to this host's file of the run directory, opened at the first call. While
// another program has locked the file, steps are dropped; they are counted in the file afterwards. Each
// such time is reported once.
[[nodiscard]] Streamer::Sink store_sink(const Config& config, Streamer::OnMessage on_message);

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_STREAMER_H_
