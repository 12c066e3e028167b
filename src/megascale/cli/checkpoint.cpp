#include <fmt/format.h>

#include "megascale/checkpoint/open.h"
#include "megascale/cli/command.h"

namespace megascale::cli {
namespace {

Outcome verify(const std::filesystem::path& path) {
  const checkpoint::Verification verification = checkpoint::verify(path);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const checkpoint::Verdict& verdict : verification.checkpoints) {
    fmt::print("{:<8} {} ({} bytes){}\n", verdict.error ? "DAMAGED" : "good", verdict.path.string(), verdict.nbytes,
               verdict.error ? "\n         " + verdict.error->message() : "");
    list.push_back({{"path", verdict.path.string()},
                    {"step", verdict.step},
                    {"good", !verdict.error},
                    {"error", verdict.error ? verdict.error->message() : ""}});
  }
  for (const auto& leftover : verification.leftovers) fmt::print("unfinished {}\n", leftover.string());
  return {.exit_code = verification.good() ? 0 : 1, .json = {{"good", verification.good()}, {"checkpoints", list}}};
}

Outcome inspect(const std::filesystem::path& path) {
  const checkpoint::Opened opened = checkpoint::open_path(
      path, [](const Error& error) { fmt::print(stderr, "checkpoint passed over: {}\n", error.message()); }, checkpoint::Check::on_read);
  const checkpoint::RunState& state = opened.state();
  fmt::print("{}\nstep {}, {} samples consumed (hash {}), {} updates, {} skipped, seed {}, data seed {}\n", opened.path().string(),
             state.step, state.consumed_samples, state.sample_digest, state.update.updates, state.update.skipped, state.seed,
             state.data_seed);
  nlohmann::ordered_json tensors;
  for (const auto& [name, tensor] : opened.tensors()) {
    fmt::print("  {:<48} {:<9} [{}]\n", name, to_string(tensor.dtype), fmt::join(tensor.shape, ", "));
    tensors[name] = {{"dtype", to_string(tensor.dtype)}, {"shape", tensor.shape}};
  }
  return {.json = {{"path", opened.path().string()},
                   {"step", state.step},
                   {"consumed_samples", state.consumed_samples},
                   {"updates", state.update.updates},
                   {"skipped", state.update.skipped},
                   {"config", state.config},
                   {"tensors", tensors}}};
}

}  // namespace

void add_checkpoint(CLI::App& app, ActionMap& actions) {
  CLI::App* command = app.add_subcommand("checkpoint", "what checkpoints hold, and whether they are whole");
  command->require_subcommand(1);
  const auto path = std::make_shared<std::filesystem::path>();
  const auto add = [&](const char* name, const char* description, Outcome (*action)(const std::filesystem::path&)) {
    CLI::App* sub = command->add_subcommand(name, description);
    sub->add_option("PATH", *path, "a checkpoint, or a directory of checkpoints")->required();
    actions.emplace_back(sub, [path, action] { return action(*path); });
  };
  add("verify", "reads every byte and compares it with its digest", verify);
  add("inspect", "lists what the newest good checkpoint holds", inspect);
}

}  // namespace megascale::cli
