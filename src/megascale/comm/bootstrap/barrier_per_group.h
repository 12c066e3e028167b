#ifndef MEGASCALE_COMM_BOOTSTRAP_BARRIER_PER_GROUP_H_
#define MEGASCALE_COMM_BOOTSTRAP_BARRIER_PER_GROUP_H_

#include <span>

#include "megascale/comm/bootstrap/bootstrap.h"

namespace megascale::comm {

// The start-up method that Bootstrap replaces, for comparison in benchmarks only. All ranks create
// all groups of the job one after the other, and all n ranks meet in a barrier after each group, as
// torch.distributed did. With O(n) groups this takes O(n^2) requests. It does not compare
// configurations and digests.
// Source: MegaScale, arXiv 2402.15627, section 3.5 (1,047 s at 2,048 GPUs, 361 s with Redis).
class BarrierPerGroup final : public Startup {
 public:
  // `world_groups` holds every group of the job, in the same order on all ranks. It and `store`
  // must outlive this object. BootstrapOptions::groups is ignored.
  BarrierPerGroup(StoreClient& store, BootstrapOptions options,
                  std::span<const std::vector<std::uint32_t>> world_groups);
  bool poll() override;
  Result<Launch> take() override;
  [[nodiscard]] std::uint64_t global_barriers() const noexcept override { return next_; }

 private:
  void create_next();

  StoreClient& store_;
  BootstrapOptions options_;
  std::span<const std::vector<std::uint32_t>> world_groups_;
  std::size_t next_ = 0;  // index of the next group
  bool over_ = false;
  Launch launch_;
  std::optional<Error> error_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_BOOTSTRAP_BARRIER_PER_GROUP_H_
