#ifndef MEGASCALE_TASKS_SCORER_H_
#define MEGASCALE_TASKS_SCORER_H_

#include <functional>
#include <span>
#include <vector>

#include "megascale/engine/inference.h"
#include "megascale/tasks/requests.h"

namespace megascale::tasks {

struct Score {
  double log_likelihood = 0;  // of the targets, nats
  bool is_greedy = true;      // each target is the most likely token
};

// Requests about one document. The tokens at the beginning that a request has in common with the one
// before it are not computed again.
using RequestGroup = std::vector<Request>;

// Returns the score of every request of every group. So many groups as the model has sequences are
// scored together; a score does not depend on the groups beside it. `on_done` is called after each
// group. Throws Error, also if a logit is not finite.
[[nodiscard]] std::vector<std::vector<Score>> score(engine::Inference& model,
                                                    std::span<const RequestGroup> groups,
                                                    const std::function<void()>& on_done = {});

}  // namespace megascale::tasks

#endif  // MEGASCALE_TASKS_SCORER_H_
