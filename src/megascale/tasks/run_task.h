#ifndef MEGASCALE_TASKS_RUN_TASK_H_
#define MEGASCALE_TASKS_RUN_TASK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "megascale/data/tokenizer.h"
#include "megascale/engine/inference.h"
#include "megascale/tasks/metrics.h"
#include "megascale/tasks/task_file.h"

namespace megascale::tasks {

struct TaskOptions {
  std::size_t limit = 0;           // only the first documents; 0: all
  std::size_t num_fewshot = 0;     // examples before each context
  const Task* examples = nullptr;  // where they come from; needed if num_fewshot > 0
  std::string delimiter = " ";     // between the context and a choice
  std::int64_t vocabulary = 0;     // ids of the model
};

struct TaskResult {
  std::string name;
  std::size_t num_fewshot = 0;
  std::size_t documents = 0, used = 0;  // of the file; that were scored
  std::vector<Metric> metrics;
};

// Returns the first `num_fewshot` examples that are not `document`, each with its right choice and an
// empty line behind it. Throws Error (bad_input) if there are too few.
[[nodiscard]] std::string fewshot_text(const Task& task, const Document& document,
                                       const TaskOptions& options);

// Scores a task. `on_done` is called after each document. Throws Error: bad_input, "FILE:LINE: ...", for
// a document that cannot be encoded or scored, and the errors of score().
[[nodiscard]] TaskResult run_task(engine::Inference& model, const Tokenizer& tokenizer,
                                  const Task& task, const TaskOptions& options,
                                  const std::function<void()>& on_done = {});

}  // namespace megascale::tasks

#endif  // MEGASCALE_TASKS_RUN_TASK_H_
