// Creates a directory of its own for each measurement and removes it at the end, so that
// measurements leave no files behind.
#include "megascale/study/temporary_directory.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "megascale/base/error.h"

namespace megascale::study {

// mkdtemp() finds a name that is not in use. A name made of the process number would not be unique:
// ranks with separate process namespaces may share one file system.
TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "megascale-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(ErrorCode::io, fmt::format("cannot make the directory {}: {}", name,
                                           std::generic_category().message(errno)));
  }
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace megascale::study
