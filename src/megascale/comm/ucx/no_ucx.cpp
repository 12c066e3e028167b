// Replaces the other sources of comm/ucx in builds without UCX: the constructor of UcxWorker throws
// Error (unsupported).
#include "megascale/base/error.h"
#include "megascale/comm/ucx/ucx_worker.h"

namespace megascale::comm {

class Port {};

UcxWorker::UcxWorker(Wakeup&, const UcxOptions&) {
  throw Error(ErrorCode::unsupported,
              "ranks as processes need UCX, and this binary was built without it; install "
              "libucx-dev and build again, or run the ranks as threads of one process");
}
UcxWorker::~UcxWorker() = default;

namespace {
[[noreturn]] void never() noexcept { MEGASCALE_CHECK(false, "a worker without UCX was made"); }
}  // namespace

const std::vector<std::byte>& UcxWorker::address() const noexcept { never(); }
std::unique_ptr<Communicator> UcxWorker::make_group(std::span<const std::vector<std::byte>>,
                                                    std::uint32_t, std::string_view) {
  never();
}
void UcxWorker::accept_only(std::span<const std::string>) { never(); }
bool UcxWorker::progress() noexcept { never(); }
int UcxWorker::arm() noexcept { never(); }
int UcxWorker::descriptor() const noexcept { never(); }
bool UcxWorker::is_sending() const noexcept { never(); }

bool ucx_is_available() noexcept { return false; }

}  // namespace megascale::comm
