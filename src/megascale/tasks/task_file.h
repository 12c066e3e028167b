#ifndef MEGASCALE_TASKS_TASK_FILE_H_
#define MEGASCALE_TASKS_TASK_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Files of evaluation tasks: JSONL, a document on each line.
namespace megascale::tasks {

enum class TaskKind : std::uint8_t {
  multiple_choice,  // {"context" or "query": TEXT, "choices": [TEXT, ...], "answer" or "gold": INDEX}
  continuation,     // {"context": TEXT, "continuation": TEXT}
  perplexity,       // {"text": TEXT}
};
[[nodiscard]] std::string_view to_string(TaskKind kind) noexcept;

struct Document {
  std::size_t line = 0;              // from 1
  std::string context;               // of perplexity: the text
  std::vector<std::string> choices;  // of a continuation: one
  std::size_t gold = 0;              // index of the right choice
};

struct Task {
  std::string name;  // the file's, without directories and its last extension
  std::string file;
  TaskKind kind = TaskKind::multiple_choice;
  std::vector<Document> documents;
};

// Parses a file. The keys of the first document decide the kind of the task; other keys are ignored. The
// answer is the index of a choice, from 0, or its text. Throws Error (bad_input), "FILE:LINE: ...", for a
// line that is not UTF-8, not JSON or no object; a missing key; a value of another type; fewer than two
// choices; an empty choice, text or continuation; an answer that is no choice; a file without documents.
[[nodiscard]] Task parse_task(std::string_view text, const std::string& file);

}  // namespace megascale::tasks

#endif  // MEGASCALE_TASKS_TASK_FILE_H_
