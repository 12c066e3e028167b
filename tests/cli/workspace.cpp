#include "cli/workspace.h"

#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "megascale/base/philox.h"

namespace megascale::testing {

std::string some_text(std::size_t nbytes) {
  constexpr std::array kWords{"the", "and", "of",     "king",  "said",  "unto",
                              "him", "day", "people", "water", "stone", "city"};
  const PhiloxStream random(7, "text");
  std::string text;
  for (std::uint64_t i = 0; text.size() < nbytes; ++i) {
    text += kWords[random.bits(i) % kWords.size()];
    text += i % 9 == 8 ? ".\n" : " ";
  }
  return text;
}

Workspace::Workspace() {
  const auto text = write("text.txt", some_text(12000));
  const Finished prepared =
      megascale({"prepare", text.string(), "--separator", "\n", "--output", corpus()});
  if (prepared.exit_code != 0) throw std::runtime_error("prepare: " + prepared.err);
  write("tiny.toml", R"([model]
num_layers = 2
hidden_size = 32
num_attention_heads = 2
seq_length = 32
init_method_std = 0.1
[train]
micro_batch_size = 2
global_batch_size = 4
train_iters = 12
threads_per_rank = 1
[optimizer]
lr = 3e-3
lr_warmup_iters = 1
[checkpoint]
keep_last = 0
)");
}

std::vector<std::string> Workspace::arguments(std::string_view command, std::string_view run,
                                              const std::vector<std::string>& set) const {
  std::istringstream words{std::string(command)};  // "bench step" is two
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  all.push_back((scratch_ / "tiny.toml").string());
  const auto add = [&](const std::string& assignment) {
    all.insert(all.end(), {"--set", assignment});
  };
  add("data.data_path=" + corpus());
  add("train.run_dir=" + (scratch_ / run).string());
  for (const std::string& assignment : set) add(assignment);
  all.emplace_back("--json");
  return all;
}

Finished Workspace::train(std::string_view run, const std::vector<std::string>& set) const {
  return megascale(arguments("train", run, set));
}

std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

bool has_saved(const std::filesystem::path& run_dir) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(run_dir / "checkpoints", ignored))
    if (entry.path().filename().string().starts_with("step-")) return true;
  return false;
}

std::vector<nlohmann::json> metrics_of(const std::filesystem::path& run_dir) {
  std::vector<nlohmann::json> lines;
  std::string written = read(run_dir / "metrics.jsonl");
  written.resize(written.rfind('\n') + 1);  // npos + 1 is 0
  std::istringstream text(written);
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

std::vector<nlohmann::json> history_of(const std::filesystem::path& run_dir) {
  auto lines = metrics_of(run_dir);
  for (nlohmann::json& line : lines) {
    for (const char* timed :
         {"step_seconds", "tokens_per_second", "mfu", "mfu_megatron", "hfu", "exposed_comm_seconds",
          "bubble_seconds", "data_wait_seconds", "checkpoint_stall_seconds"}) {
      line.erase(timed);
    }
    line.erase("memory_bytes");  // what recomputation is for
  }
  return lines;
}

nlohmann::json checkpoint_of(const std::filesystem::path& run_dir, std::int64_t step) {
  std::ostringstream name;
  name << "step-" << std::string(8 - std::to_string(step).size(), '0') << step;
  const auto manifest = nlohmann::json::parse(
      read(run_dir / "checkpoints" / name.str() / "manifest.json"), nullptr, false);
  if (!manifest.is_object()) return {};
  nlohmann::json found{{"state", manifest.at("state")}};
  found["state"].erase("config");  // names the run directory
  for (const auto& shard : manifest.at("shards")) {
    for (const auto& piece : shard.at("pieces"))
      found["tensors"][piece.at("name")] = piece.at("digest");
  }
  return found;
}

}  // namespace megascale::testing
