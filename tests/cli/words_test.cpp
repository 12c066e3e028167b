// Completion and man pages are complete and what shells and groff accept.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "cli/workspace.h"
#include "megascale/config/fields.h"
#include "megascale/config/load.h"
#include "support/shell.h"

namespace megascale::testing {
namespace {

struct Program {
  std::vector<std::vector<std::string>> commands;  // with the program itself, which has no words
  std::vector<std::set<std::string>> options;      // of each, from its --help
};

// Reads words at the beginning of the lines of a section of a help text: what --help shows is what is
// parsed, and not made from the data that completion and pages are made from.
void read_help(const std::string& text, std::set<std::string>& options,
               std::vector<std::string>& subcommands) {
  std::istringstream lines(text);
  bool in_commands = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != ' ') in_commands = line == "Subcommands:";
    if (line.rfind("  ", 0) != 0 || line.rfind("   ", 0) == 0) continue;
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (in_commands) {
      subcommands.push_back(word);
      continue;
    }
    std::istringstream names(word);
    for (std::string name; std::getline(names, name, ',');)
      if (name.rfind('-', 0) == 0) options.insert(name);
  }
}

void visit(const std::vector<std::string>& words, Program& program) {
  std::vector<std::string> command = words;
  command.emplace_back("--help");
  const Finished help = megascale(command);
  ASSERT_EQ(help.exit_code, 0) << help;
  program.commands.push_back(words);
  program.options.emplace_back();
  std::vector<std::string> subcommands;
  read_help(help.out, program.options.back(), subcommands);
  for (const std::string& name : subcommands) {
    std::vector<std::string> longer = words;
    longer.push_back(name);
    visit(longer, program);
  }
}

const Program& program() {
  static const Program all = [] {
    Program found;
    visit({}, found);
    return found;
  }();
  return all;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// Runs a program of bash and returns what it prints, one word a line.
std::set<std::string> words_of_bash(const Workspace& space, const std::string& commands) {
  const auto script = space.write("run.bash", commands);
  const auto out = space / "words";
  EXPECT_EQ(run_in_shell("bash " + script.string() + " >" + out.string()), 0) << commands;
  std::istringstream lines(read(out));
  std::set<std::string> words;
  for (std::string line; std::getline(lines, line);) words.insert(line);
  return words;
}

// What bash offers for a command line that ends where the cursor is. `words` are as bash divides them.
std::set<std::string> completed(const Workspace& space, const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += " '" + word + "'";
  return words_of_bash(space, "source " + (space / "completion").string() +
                                  "\ncomplete -p megascale >/dev/null\n" + "COMP_WORDS=(megascale" +
                                  line + ")\nCOMP_CWORD=" + std::to_string(words.size()) +
                                  "\n_megascale megascale\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
}

class WordsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Finished bash = megascale({"completion", "bash"});
    ASSERT_EQ(bash.exit_code, 0) << bash;
    space_.write("completion", bash.out);
  }
  Workspace space_;
};

TEST_F(WordsTest, BashOffersEveryCommandOptionAndKey) {
  ASSERT_GE(program().commands.size(), 30U);
  for (std::size_t i = 0; i < program().commands.size(); ++i) {
    std::vector<std::string> line = program().commands[i];
    line.emplace_back("--");
    const auto offered = completed(space_, line);
    ASSERT_GE(program().options[i].size(), 1U);
    for (const std::string& option : program().options[i]) {
      if (option.rfind("--", 0) != 0) continue;
      EXPECT_TRUE(offered.contains(option)) << joined(line, " ") << ": " << option;
    }
    EXPECT_TRUE(offered.contains("--json")) << joined(line, " ");
  }
  for (const auto& words : program().commands) {
    if (words.empty()) continue;
    const std::vector<std::string> before(words.begin(), words.end() - 1);
    auto line = before;
    line.emplace_back("");
    EXPECT_TRUE(completed(space_, line).contains(words.back())) << joined(words, " ");
  }
  const auto keys = completed(space_, {"train", "my.toml", "--set", ""});
  EXPECT_EQ(keys.size(), config_fields().size());
  for (const Field& field : config_fields())
    EXPECT_TRUE(keys.contains(full_name(field) + "=")) << full_name(field);
}

TEST_F(WordsTest, BashOffersValues) {
  using Set = std::set<std::string>;
  // bash divides "--set model.type=q" at the "=".
  EXPECT_EQ(completed(space_, {"train", "--set", "model.type", "=", "qwen3"}),
            (Set{"qwen3", "qwen3_moe"}));
  EXPECT_TRUE(completed(space_, {"plan", "--set", "model.type", "="}).contains("gpt2"));
  EXPECT_EQ(completed(space_, {"plan", "--set", "overlap.tensor", "=", ""}),
            (Set{"false", "true"}));
  EXPECT_EQ(completed(space_, {"completion", "z"}), Set{"zsh"});
  EXPECT_EQ(completed(space_, {"checkpoint", "ver"}), Set{"verify"});
  // Names of files are the shell's: nothing is offered.
  EXPECT_EQ(completed(space_, {"train", "my"}), Set{""});
  EXPECT_EQ(completed(space_, {"generate", "--checkpoint", ""}), Set{""});
}

TEST_F(WordsTest, ShellsAcceptTheirScripts) {
  EXPECT_EQ(run_in_shell("bash -n " + (space_ / "completion").string()), 0);
  const Finished zsh = megascale({"completion", "zsh"});
  ASSERT_EQ(zsh.exit_code, 0) << zsh;
  const std::string file = space_.write("_megascale", zsh.out).string();
  for (const Field& field : config_fields())
    EXPECT_NE(zsh.out.find("'" + full_name(field) + ":"), std::string::npos) << full_name(field);
  for (std::size_t i = 0; i < program().commands.size(); ++i) {
    EXPECT_NE(zsh.out.find("'" + joined(program().commands[i], " ") + "'"), std::string::npos);
    for (const std::string& option : program().options[i])
      EXPECT_NE(zsh.out.find("'" + option + ":"), std::string::npos) << option;
  }
  if (run_in_shell("command -v zsh >/dev/null") != 0) GTEST_SKIP() << "no zsh here";
  EXPECT_EQ(run_in_shell("zsh -fn " + file), 0);
  EXPECT_EQ(run_in_shell("zsh -fc 'autoload -Uz compinit; compinit -D -u; source " + file +
                         "; [[ $_comps[megascale] == _megascale ]]'"),
            0);
  EXPECT_EQ(megascale({"completion", "tcsh"}).exit_code, 2);
}

TEST_F(WordsTest, EveryCommandHasAManPageWithItsOptions) {
  const std::string folder = (space_ / "man").string();
  ASSERT_EQ(megascale({"man", "--output", folder}).exit_code, 0);
  for (std::size_t i = 0; i < program().commands.size(); ++i) {
    const auto& words = program().commands[i];
    const std::string name = words.empty() ? "megascale" : "megascale-" + joined(words, "-");
    const std::string page = read(folder + "/man1/" + name + ".1");
    for (std::string option : program().options[i]) {
      std::string escaped;
      for (const char c : option) escaped += c == '-' ? "\\-" : std::string(1, c);
      EXPECT_NE(page.find("\\fB" + escaped + "\\fR"), std::string::npos) << name << " " << option;
    }
    auto command = words;
    command.insert(command.begin(), "man");
    EXPECT_EQ(megascale(command).out, page);
  }
  const std::string keys = read(folder + "/man5/megascale.toml.5");
  for (const Field& field : config_fields())
    EXPECT_NE(keys.find("\\fB" + std::string(field.key) + "\\fR = "), std::string::npos)
        << full_name(field);
  EXPECT_EQ(megascale({"man", "megascale.toml"}).out, keys);
  EXPECT_EQ(megascale({"man", "trian"}).exit_code, 2);
  // All warnings of groff are errors.
  EXPECT_EQ(
      run_in_shell("for page in " + folder + "/man1/*.1 " + folder +
                   "/man5/*.5; do warnings=$(groff -man -Tutf8 -ww \"$page\" 2>&1 >/dev/null); "
                   "if [ -n \"$warnings\" ]; then echo \"$page: $warnings\"; exit 1; fi; done"),
      0);
  if (run_in_shell("command -v man >/dev/null") == 0) {
    const std::string out = (space_ / "shown").string();
    ASSERT_EQ(run_in_shell("MANWIDTH=100 man -l " + folder + "/man1/megascale-train.1 >" + out), 0);
    EXPECT_NE(read(out).find("--stop-after"), std::string::npos);
  }
}

TEST_F(WordsTest, TheTemplateIsAcceptedByCheck) {
  for (const char* family : {"gpt2", "llama3", "mixtral"}) {
    const Finished text = megascale({"config", "--template", family});
    ASSERT_EQ(text.exit_code, 0) << text;
    const std::string file = space_.write(std::string(family) + ".toml", text.out).string();
    const Finished check = megascale({"check", file, "--set", "data.data_path=" + space_.corpus(),
                                      "--set", "train.run_dir=" + (space_ / family).string(),
                                      "--set", "train.eval_interval=0"});
    EXPECT_EQ(check.exit_code, 0) << check;
  }
  EXPECT_EQ(megascale({"config", "--template", "gtp2"}).exit_code, 2);
  EXPECT_NE(megascale({"config"}).out.find("qwen3\n"), std::string::npos);
}

}  // namespace
}  // namespace megascale::testing
