// The incarnation of an executor that takes over is the number of an attempt in the owner's file: an
// owner with a higher number takes the directory from one with a lower number
// (train/directory_owner.h). An executor that does not take over has the lowest number.
#include "megascale/control/remote/host_lock.h"

#include <fmt/format.h>

#include "megascale/base/error.h"
#include "megascale/base/files.h"

namespace megascale::control {
namespace {

constexpr std::int64_t kTakesNobodysPlace = 1;

}  // namespace

HostLock::HostLock(const RunDirectory& run, const Options& options) {
  const auto directory = run.executor(options.host);
  try {
    make_directories(directory);
    owner_.emplace(directory, options.takes_over ? options.incarnation : kTakesNobodysPlace);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::failed) return;
    const auto other = train::DirectoryOwner::last_owner(directory);
    throw Error(
        ErrorCode::failed,
        fmt::format(
            "expected that no other executor of host {} serves the job in {}, found process "
            "{} on {}: end that one, or start this one with --replace, which costs a restart "
            "if the host has ranks",
            options.host, run.path().string(), other.process, other.host));
  }
}

}  // namespace megascale::control
