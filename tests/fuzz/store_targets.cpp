#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/targets.h"
#include "megascale/base/error.h"
#include "megascale/comm/bootstrap/rank_record.h"
#include "megascale/comm/store/embedded/protocol.h"

namespace megascale::fuzz {
namespace {

std::string encode(const comm::StoreReply& reply) {
  std::string frame;
  comm::append_frame(frame, reply);
  return frame.substr(sizeof(std::uint32_t));
}

// Whether `parse` takes the bytes; if so, what it made of them gives the same bytes again.
template <class Parse>
bool reads_back(std::string_view bytes, const Parse& parse) {
  // An allocation of the exact size, so that the address sanitizer sees a read past the end.
  const std::vector<char> exact(bytes.begin(), bytes.end());
  const auto value = parse(std::string_view(exact.data(), exact.size()));
  if (!value) {
    MEGASCALE_CHECK(!value.error().message().empty(), "a refusal says why");
    return false;
  }
  MEGASCALE_CHECK(encode(*value) == bytes, "what was read is written as it was");
  return true;
}

}  // namespace

bool store_frames(std::span<const std::byte> input) {
  using namespace comm;  // NOLINT(google-build-using-namespace)
  constexpr std::size_t kPiece = 7;
  ByteQueue queue;
  bool any = false;
  for (std::string_view rest = as_text(input); !rest.empty();) {
    queue.append(rest.substr(0, kPiece));
    rest.remove_prefix(std::min(rest.size(), kPiece));
    for (;;) {
      const auto payload = next_frame(queue);
      if (!payload) return false;
      if (!*payload) break;
      const auto request = parse_request(**payload);
      if (!request) return false;
      MEGASCALE_CHECK(!find_fault(*request), "a request within the limits");
      std::string again;
      append_frame(again, *request);
      MEGASCALE_CHECK(again == queue.view().substr(0, frame_nbytes(**payload)),
                      "what was read is written as it was");
      queue.consume(again.size());
      any = true;
    }
  }
  return any && queue.empty();
}

bool store_records(std::span<const std::byte> input) {
  using namespace comm;  // NOLINT(google-build-using-namespace)
  const std::string_view bytes = as_text(input);
  const bool reply = reads_back(bytes, parse_reply);
  const bool verdict = reads_back(bytes, parse_verdict);
  const bool rank = reads_back(bytes, parse_rank_record);
  const bool launch = reads_back(bytes, parse_launch_record);
  return reply || verdict || rank || launch;
}

}  // namespace megascale::fuzz
