// Writes a configuration as TOML, and the reference page of all keys and rules as Markdown. Both
// walk the table of keys (fields.h).
#include <fmt/format.h>

#include "megascale/base/run_directory.h"
#include "megascale/config/derived.h"
#include "megascale/config/fields.h"
#include "megascale/config/load.h"
#include "megascale/config/rules.h"

namespace megascale {

std::string to_toml(const Config& config) {
  std::string out;
  std::string_view section;
  for (const Field& field : config_fields()) {
    if (field.section != section) {
      out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", field.section);
      section = field.section;
    }
    out += fmt::format("{} = {}\n", field.key, toml_value(field, config));
  }
  return out;
}

std::string configuration_reference() {
  std::string out =
      "# Configuration\n\n"
      "For users who write a configuration. After this page you know every key with its type, "
      "default and meaning, and the rules between keys.\n\n"
      "A job is described by one TOML file. Every key has a default. "
      "`megascale ... --set section.key=value` overrides\n"
      "the file. In names, `-` and `_` are equivalent. All errors are reported at once, each with "
      "file, line and key.\n"
      "The resolved configuration, with every key, is kept as `" +
      std::string(RunDirectory::kConfig) +
      "` in the run directory; it can be used as a\n"
      "configuration itself.\n\n"
      "This page is written from the table of keys in `src/megascale/config/fields.cpp`. A test "
      "keeps them equal.\n";
  const Config defaults;
  std::string_view section;
  for (const Field& field : config_fields()) {
    if (field.section != section) {
      section = field.section;
      out += fmt::format("\n## [{}]\n\n| key | value | default | meaning |\n|---|---|---|---|\n",
                         section);
    }
    out += fmt::format("| `{}` | {} | `{}` | {} |\n", field.key, describe_type(field),
                       toml_value(field, defaults), field.meaning);
  }
  out +=
      "\n## Rules between keys\n\nA configuration must satisfy all of these rules. Their words are "
      "those of the error message, after \"expected\".\n\n";
  for (const Rule& rule : config_rules()) out += fmt::format("- {}\n", rule.law);
  return out;
}

}  // namespace megascale
