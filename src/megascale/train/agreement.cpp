#include "megascale/train/agreement.h"

#include <fmt/format.h>

#include <vector>

namespace megascale::train {

std::string failure_message(const std::exception& error) {
  return std::string("!").append(error.what());
}

void require_success(std::span<const std::string> messages) {
  for (std::size_t rank = 0; rank < messages.size(); ++rank) {
    if (!messages[rank].empty() && messages[rank][0] == '!') {
      throw Error(ErrorCode::failed, messages.size() == 1 ? messages[rank].substr(1)
                                                          : fmt::format("rank {}: {}", rank,
                                                                        messages[rank].substr(1)));
    }
  }
}

void agree(comm::Coordination& coordination, const std::string& message, std::string_view about) {
  const std::vector<std::string> all = coordination.gather(message, about);
  std::string outcome;
  if (coordination.rank() == 0) {
    outcome = message_of([&] {
      require_success(all);
      return std::string();
    });
  }
  outcome = coordination.broadcast(outcome, about);
  require_success({&outcome, 1});
}

}  // namespace megascale::train
