#ifndef MEGASCALE_TRAIN_BACKGROUND_SINK_H_
#define MEGASCALE_TRAIN_BACKGROUND_SINK_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "megascale/train/metrics.h"

namespace megascale::train {

// Hands the metrics of steps to a writer on a thread of its own. The training never waits for the writer: if
// it is slower than the steps, or stuck, metrics are dropped and counted. A writer that throws Error
// is called no more. For one thread; the writer runs on another.
class BackgroundSink {
 public:
  using Write = std::function<void(const StepMetrics&)>;
  // Steps that may wait for the writer; more are dropped.
  static constexpr std::size_t kMostWaiting = 1024;
  // How long the destructor waits for the writer to end its work. After that its thread is left alone.
  static constexpr std::chrono::seconds kPatience{5};

  // `name` is used in messages: the key that asked for the sink.
  BackgroundSink(std::string name, Write write, std::chrono::milliseconds patience = kPatience);
  BackgroundSink(const BackgroundSink&) = delete;
  BackgroundSink& operator=(const BackgroundSink&) = delete;
  ~BackgroundSink();

  // Returns at once. Returns a message for the user if there is news: the first step that was dropped, or the
  // failure of the writer.
  [[nodiscard]] std::optional<std::string> push(const StepMetrics& metrics);
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // Steps that the writer has not got and will not get.
  [[nodiscard]] std::int64_t dropped() const;
  // Returns why the writer failed; "" if it has not.
  [[nodiscard]] std::string failure() const;
  // Waits until the writer has all steps, for the patience at most. Returns false if it has not.
  bool flush();

 private:
  struct Shared;
  static void serve(const std::shared_ptr<Shared>& shared, const Write& write);
  std::string name_;
  std::chrono::milliseconds patience_;
  std::shared_ptr<Shared> shared_;  // of both threads, since the writer's may outlive this object
  bool told_ = false;
};

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_BACKGROUND_SINK_H_
