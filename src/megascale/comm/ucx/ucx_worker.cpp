// The public interface of a Port: takes its lock, and makes groups from the addresses of their
// members.
#include "megascale/comm/ucx/ucx_worker.h"

#include <fmt/format.h>

#include "megascale/base/digest.h"
#include "megascale/comm/ucx/port.h"
#include "megascale/comm/ucx/ucx_communicator.h"

namespace megascale::comm {

UcxWorker::UcxWorker(Wakeup& wakeup, const UcxOptions& options)
    : port_(std::make_shared<Port>(wakeup, options)) {}
UcxWorker::~UcxWorker() = default;

const std::vector<std::byte>& UcxWorker::address() const noexcept { return port_->address(); }

std::unique_ptr<Communicator> UcxWorker::make_group(
    std::span<const std::vector<std::byte>> addresses, std::uint32_t my_index,
    std::string_view id) {
  std::vector<EndpointRecord> members;
  for (std::size_t m = 0; m < addresses.size(); ++m) try {
      members.push_back(EndpointRecord::decode(addresses[m]));
    } catch (Error& error) {
      error.add_context(fmt::format("reading the address of member {} of group {}", m, id));
      throw;
    }
  if (my_index >= addresses.size() || addresses[my_index] != address()) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("expected address {} of the {} of group {} to be that of this rank ({}), "
                    "found another; pass the index of this rank",
                    my_index, addresses.size(), id, EndpointRecord::decode(address()).rank));
  }
  // The group's id on the wire is a digest of its name and its members' addresses. So processes of
  // an earlier start of the job, which have other addresses, cannot be mistaken for members.
  DigestStream digest;
  digest.update(id);
  for (const auto& bytes : addresses) digest.update(bytes);
  const std::string text = digest.finish();
  return std::make_unique<UcxCommunicator>(
      port_, members, my_index, digest64(std::as_bytes(std::span(text))), std::string(id));
}

void UcxWorker::accept_only(std::span<const std::string> addresses) {
  const std::lock_guard lock(port_->mutex());
  port_->accept_only(addresses);
}

bool UcxWorker::progress() noexcept {
  const std::lock_guard lock(port_->mutex());
  const bool moved = port_->progress();
  return port_->stop_keeping_awake() || moved;
}

int UcxWorker::arm() noexcept {
  const std::lock_guard lock(port_->mutex());
  return port_->arm();
}

int UcxWorker::descriptor() const noexcept { return port_->descriptor(); }

bool UcxWorker::is_sending() const noexcept {
  const std::lock_guard lock(port_->mutex());
  return port_->sending();
}

bool ucx_is_available() noexcept { return true; }

}  // namespace megascale::comm
