// `megascale config`: prints a configuration to begin with.
#include <fmt/format.h>

#include "megascale/cli/command.h"
#include "megascale/config/template.h"

namespace megascale::cli {
namespace {

struct TemplateArguments {
  bool prints_template = false;
  std::string family;
};

Outcome run(const TemplateArguments& arguments) {
  if (arguments.prints_template) {
    fmt::print("{}", configuration_template(arguments.family));
    return {};
  }
  if (!arguments.family.empty())
    throw Error(ErrorCode::bad_usage, "expected --template beside the name of a family");
  nlohmann::ordered_json families = nlohmann::ordered_json::array();
  for (const std::string& family : template_families()) {
    fmt::print("{}\n", family);
    families.push_back(family);
  }
  return {.json = {{"families", std::move(families)}}};
}

}  // namespace

void add_config(Command& app) {
  const auto arguments = std::make_shared<TemplateArguments>();
  Command command = app.subcommand(
      "config", "prints a commented configuration with all keys, or the families that it knows");
  command
      .option("FAMILY", arguments->family,
              "family of models whose values the configuration has (default: gpt2)")
      .one_of(template_families());
  command.flag("--template", arguments->prints_template, "print the configuration");
  command.does([arguments] { return run(*arguments); });
}

}  // namespace megascale::cli
