// The table of keywords. The first one that a line holds counts, so the more special ones stand
// first. The texts are those of this program, of the C library, of CUDA and of NCCL.
#include "megascale/control/keywords.h"

#include <array>

namespace megascale::control {
namespace {

struct Keyword {
  std::string_view text, meaning;
};
constexpr std::array kKeywords{
    Keyword{"was changed on the way", "wire"},
    Keyword{"the task has two results", "two results"},
    Keyword{"is lost: its process has ended", "lost peer"},
    Keyword{"in use by", "in use"},
    Keyword{"has diverged", "diverged"},
    Keyword{"No space left on device", "disk full"},
    Keyword{"Input/output error", "disk"},
    Keyword{"Disk quota exceeded", "disk full"},
    Keyword{"out of memory", "memory"},
    Keyword{"Cannot allocate memory", "memory"},
    Keyword{"bad_alloc", "memory"},
    Keyword{"uncorrectable ECC", "device"},
    Keyword{"CUDA error", "device"},
    Keyword{"cudaError", "device"},
    Keyword{"NCCL WARN", "network"},
    Keyword{"Connection reset by peer", "network"},
    Keyword{"No route to host", "network"},
    Keyword{"expected the digest", "damage"},
    Keyword{"Segmentation fault", "crash"},
    Keyword{"Assertion", "crash"},
    Keyword{"megascale: bug at", "crash"},
    Keyword{"terminate called", "crash"},
    Keyword{"megascale: ", "message"},
};

}  // namespace

std::string_view keyword_in(std::string_view line) noexcept {
  for (const Keyword& keyword : kKeywords) {
    if (line.find(keyword.text) != std::string_view::npos) return keyword.meaning;
  }
  return {};
}

}  // namespace megascale::control
