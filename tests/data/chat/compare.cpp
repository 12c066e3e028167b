// Compares rendered conversations with those of another program: compare_chat_templates FILE.
// FILE is what expected.mjs wrote. Fails if a text differs, if one side alone refuses a
// conversation, or if a template was not both rendered and, where it can be, refused.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/data/chat/chat_template.h"

namespace {

using namespace megascale;

struct Count {
  int rendered = 0, refused = 0, different = 0;
};

int run(const std::string& file) {
  std::map<std::string, Count> counts;
  std::istringstream lines(read_text(file));
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    const std::string name = record["template"];
    Count& count = counts[name];
    const auto conversation = chat::parse_conversation(record["line"]);
    nlohmann::json text;  // null: refused
    try {
      text = chat::text_of(chat::render(conversation, *chat::chat_template_named(name)));
      ++count.rendered;
    } catch (const Error&) {
      ++count.refused;
    }
    if (text == record["text"] || ++count.different > 3) continue;
    fmt::print("  {}: {}\n    expected {}\n    found    {}\n", name, record["line"].dump(),
               record["text"].dump(), text.dump());
  }
  bool good = counts.size() == 4;
  for (const auto& [name, count] : counts) {
    const bool alternates = name == "mistral" || name == "gemma";
    good =
        good && count.different == 0 && count.rendered > 100 && (count.refused > 10) == alternates;
    fmt::print("{}: {} rendered, {} refused, {} different\n", name, count.rendered, count.refused,
               count.different);
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2) return run(argv[1]);
    fmt::print("usage: compare_chat_templates FILE\n");
  } catch (const std::exception& error) {
    fmt::print("{}\n", error.what());
  }
  return 2;
}
