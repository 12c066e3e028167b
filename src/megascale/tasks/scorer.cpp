#include "megascale/tasks/scorer.h"

#include <algorithm>
#include <utility>

#include "megascale/engine/token_queue.h"
#include "megascale/generate/log_probabilities.h"
#include "megascale/generate/sampler.h"

namespace megascale::tasks {
namespace {

class Scoring {
 public:
  Scoring(engine::Inference& model, std::span<const RequestGroup> groups,
          const std::function<void()>& on_done)
      : model_(model), groups_(groups), on_done_(on_done), queue_(model), work_(model.sequences()) {
    for (const RequestGroup& group : groups) scores_.emplace_back(group.size());
  }
  std::vector<std::vector<Score>> run() {
    for (std::size_t sequence = 0; sequence < work_.size(); ++sequence) start_group(sequence);
    while (queue_.step([this](std::size_t sequence, std::size_t row,
                              std::span<const float> logits) { take(sequence, row, logits); })) {
    }
    return std::move(scores_);
  }

 private:
  struct Work {
    std::size_t group = 0, request = 0;
  };

  void start_group(std::size_t sequence) {
    for (; next_ < groups_.size(); ++next_) {
      if (groups_[next_].empty()) continue;
      work_[sequence] = {.group = next_++};
      return start_request(sequence, 0);
    }
  }
  // Feeds what is not in the cache; `kept` tokens at the beginning are.
  void start_request(std::size_t sequence, std::size_t kept) {
    const Request& request = groups_[work_[sequence].group][work_[sequence].request];
    model_.keep(sequence, kept);
    queue_.add(sequence,
               {request.inputs.begin() + static_cast<std::ptrdiff_t>(kept), request.inputs.end()},
               request.targets.size());
  }
  void take(std::size_t sequence, std::size_t row, std::span<const float> logits) {
    generate::require_finite(logits);
    Work& work = work_[sequence];
    const RequestGroup& group = groups_[work.group];
    const Request& request = group[work.request];
    Score& score = scores_[work.group][work.request];
    score.log_likelihood += generate::log_probability(logits, request.targets[row]);
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    score.is_greedy = score.is_greedy && best == request.targets[row];
    if (row + 1 < request.targets.size()) return;
    if (++work.request < group.size())
      return start_request(sequence, common(request, group[work.request]));
    if (on_done_) on_done_();
    start_group(sequence);
  }
  // The first inputs of `next` that `last` has too and after which no target of `next` follows.
  static std::size_t common(const Request& last, const Request& next) {
    const auto same = std::mismatch(next.inputs.begin(), next.inputs.end(), last.inputs.begin(),
                                    last.inputs.end());
    return std::min(static_cast<std::size_t>(same.first - next.inputs.begin()),
                    next.inputs.size() - next.targets.size());
  }

  engine::Inference& model_;
  std::span<const RequestGroup> groups_;
  const std::function<void()>& on_done_;
  engine::TokenQueue queue_;
  std::vector<Work> work_;  // by sequence
  std::vector<std::vector<Score>> scores_;
  std::size_t next_ = 0;  // group
};

}  // namespace

std::vector<std::vector<Score>> score(engine::Inference& model,
                                      std::span<const RequestGroup> groups,
                                      const std::function<void()>& on_done) {
  return Scoring(model, groups, on_done).run();
}

}  // namespace megascale::tasks
