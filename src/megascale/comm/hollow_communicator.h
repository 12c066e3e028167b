#ifndef MEGASCALE_COMM_HOLLOW_COMMUNICATOR_H_
#define MEGASCALE_COMM_HOLLOW_COMMUNICATOR_H_

#include "megascale/comm/block_table.h"
#include "megascale/comm/communicator.h"

namespace megascale::comm {

// A communicator for measurements: it shows how long a step would take on a network of unlimited
// bandwidth. Its transfers wait for all members as usual but move almost no bytes.
//
// Small transfers (counts, norms, sums over a row of logits) are real. In all others, a member
// receives copies of its own bytes in place of its peers', or its receive buffer stays unchanged.
// These values are finite, so the step runs to its end, but they mean nothing.
class HollowCommunicator final : public Communicator {
 public:
  // A transfer is small if neither buffer is larger than this. Such a transfer takes about as long
  // as the wait for its members.
  static constexpr std::size_t kSmallNbytes = std::size_t{64} * 1024;

  // `real` is the communicator of the group; it must outlive this object.
  explicit HollowCommunicator(Communicator& real)
      : real_(&real), blocks_(ranks_or_numbers({}, real.size()), real.my_index()) {}
  [[nodiscard]] std::uint32_t size() const noexcept override { return real_->size(); }
  [[nodiscard]] std::uint32_t my_index() const noexcept override { return real_->my_index(); }
  void start(const Transfer& transfer) noexcept override;
  Progress poll() noexcept override { return real_->poll(); }
  void abort(const Error& error) noexcept override { real_->abort(error); }
  [[nodiscard]] Error error() const override { return real_->error(); }
  [[nodiscard]] Awaited awaited() const override { return real_->awaited(); }
  [[nodiscard]] bool marks_match() const noexcept override { return real_->marks_match(); }
  [[nodiscard]] std::optional<Error> lost() noexcept override { return real_->lost(); }

 private:
  void receive_own(const Transfer& transfer) noexcept;
  void receive_own_blocks(const Transfer& transfer) noexcept;

  Communicator* real_;
  BlockTable blocks_;  // for an all_to_all_v
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_HOLLOW_COMMUNICATOR_H_
