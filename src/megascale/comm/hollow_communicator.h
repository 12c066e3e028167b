#ifndef MEGASCALE_COMM_HOLLOW_COMMUNICATOR_H_
#define MEGASCALE_COMM_HOLLOW_COMMUNICATOR_H_

#include "megascale/comm/communicator.h"

namespace megascale::comm {

// A group whose transfers wait for their partners as ever but carry no bytes: what a step would
// take on a network without limit. For measurements; what is computed from it means nothing.
class HollowCommunicator final : public Communicator {
 public:
  explicit HollowCommunicator(Communicator& real) : real_(&real) {}
  [[nodiscard]] std::uint32_t size() const noexcept override { return real_->size(); }
  [[nodiscard]] std::uint32_t my_index() const noexcept override { return real_->my_index(); }
  void start(const Transfer& transfer) noexcept override {
    Transfer empty = transfer;
    empty.send = {};
    empty.receive = {};
    real_->start(empty);
  }
  Progress poll() noexcept override { return real_->poll(); }
  void abort(const Error& error) noexcept override { real_->abort(error); }
  [[nodiscard]] Error error() const override { return real_->error(); }
  [[nodiscard]] Awaited awaited() const override { return real_->awaited(); }

 private:
  Communicator* real_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_HOLLOW_COMMUNICATOR_H_
