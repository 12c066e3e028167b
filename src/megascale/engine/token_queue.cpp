// Chooses the pieces of each step: the longest one, which would otherwise wait behind short ones, and
// what fits beside it. A piece above kTokensTogether leaves no room. A sequence with logits for more tokens than a step has rows for
// gets smaller pieces.
#include "megascale/engine/token_queue.h"

#include <algorithm>
#include <utility>

#include "megascale/base/error.h"

namespace megascale::engine {

void TokenQueue::add(std::size_t sequence, std::vector<std::int32_t> tokens, std::size_t rows) {
  Waiting& waiting = waiting_.at(sequence);
  MEGASCALE_CHECK(waiting.left() == 0, "tokens of a sequence are added when none wait");
  MEGASCALE_CHECK(rows <= tokens.size(), "logits come after tokens");
  waiting = {.tokens = std::move(tokens), .rows = rows};
}

std::size_t TokenQueue::piece(const Waiting& waiting) const noexcept {
  const std::size_t most =
      waiting.rows > 1 ? std::min(model_.most_tokens(), model_.most_rows()) : model_.most_tokens();
  return std::min(waiting.left(), most);
}

SequenceTokens TokenQueue::next_of(std::size_t sequence) const {
  const Waiting& waiting = waiting_[sequence];
  const std::size_t size = piece(waiting), end = waiting.fed + size;
  const std::size_t first_row = waiting.tokens.size() - waiting.rows;
  return {.sequence = sequence,
          .tokens = std::span(waiting.tokens).subspan(waiting.fed, size),
          .last_rows = end <= first_row ? 0 : std::min(size, end - first_row)};
}

bool TokenQueue::step(const OnLogits& on_logits) {
  const std::size_t together = std::min(Inference::kTokensTogether, model_.most_tokens());
  std::vector<SequenceTokens> step;
  const auto longest = std::ranges::max_element(
      waiting_, {}, [this](const Waiting& waiting) { return piece(waiting); });
  if (longest == waiting_.end() || longest->left() == 0) return false;
  const SequenceTokens first = next_of(static_cast<std::size_t>(longest - waiting_.begin()));
  std::size_t tokens = first.tokens.size(), rows = first.last_rows;
  for (std::size_t sequence = 0; sequence < waiting_.size(); ++sequence) {
    if (waiting_[sequence].left() == 0) continue;
    const SequenceTokens next = next_of(sequence);
    if (sequence != first.sequence) {
      if (tokens + next.tokens.size() > together || rows + next.last_rows > model_.most_rows())
        continue;
      tokens += next.tokens.size();
      rows += next.last_rows;
    }
    step.push_back(next);
  }
  const LogitRows logits = model_.feed(step);
  std::size_t row = 0;
  for (const SequenceTokens& one : step) {
    Waiting& waiting = waiting_[one.sequence];
    waiting.fed += one.tokens.size();
    for (std::size_t i = 0; i < one.last_rows; ++i)
      on_logits(one.sequence, waiting.returned++, logits[row++]);
  }
  return true;
}

}  // namespace megascale::engine
