// `megascale checkpoint`: verifies, lists, exports and imports checkpoints.
#include <fmt/format.h>

#include "megascale/checkpoint/huggingface/adapter_files.h"
#include "megascale/checkpoint/huggingface/export.h"
#include "megascale/checkpoint/huggingface/import.h"
#include "megascale/checkpoint/huggingface/train_file.h"
#include "megascale/checkpoint/open.h"
#include "megascale/cli/command.h"
#include "megascale/data/tokenizer_files.h"

namespace megascale::cli {
namespace {

Outcome verify(const std::filesystem::path& path) {
  const checkpoint::Verification verification = checkpoint::verify(path);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const checkpoint::Verdict& verdict : verification.checkpoints) {
    const bool diverged = !verdict.error && verdict.skipped_in_a_row > 0;
    fmt::print(
        "{:<8} {} ({} bytes){}{}\n", verdict.error ? "DAMAGED" : "good", verdict.path.string(),
        verdict.nbytes, verdict.error ? "\n         " + verdict.error->message() : "",
        diverged ? fmt::format("\n         not healthy: saved after {} steps in a row without "
                               "an update",
                               verdict.skipped_in_a_row)
                 : "");
    list.push_back({{"path", verdict.path.string()},
                    {"step", verdict.step},
                    {"good", !verdict.error},
                    {"healthy", !verdict.error && !diverged},
                    {"error", verdict.error ? verdict.error->message() : ""}});
  }
  for (const auto& leftover : verification.leftovers)
    fmt::print("unfinished {}\n", leftover.string());
  nlohmann::ordered_json aside = nlohmann::ordered_json::array();
  for (const auto& path_aside : verification.aside) {
    fmt::print("set aside {}: no resume looks at it\n", path_aside.string());
    aside.push_back(path_aside.string());
  }
  return {.exit_code = verification.good() ? 0 : 1,
          .json = {{"good", verification.good()}, {"checkpoints", list}, {"set_aside", aside}}};
}

void report_passed_over(const Error& error) { say("checkpoint passed over: " + error.message()); }

Outcome inspect(const std::filesystem::path& path) {
  const checkpoint::Opened opened =
      checkpoint::open_path(path, report_passed_over, checkpoint::Check::on_read);
  const checkpoint::RunState& state = opened.state();
  fmt::print(
      "{}\nstep {}, {} samples consumed (hash {}), {} updates, {} skipped ({} in a row at the "
      "end), "
      "seed {}, data seed {}, digest of the data {}\n",
      opened.path().string(), state.step, state.consumed_samples, state.sample_digest,
      state.update.updates, state.update.skipped, state.skipped_in_a_row, state.seed,
      state.data_seed, state.data_digest.empty() ? "unknown" : state.data_digest);
  if (state.tokenizer)
    fmt::print("tokenizer {}, {} ids\n", describe(*state.tokenizer), state.tokenizer->vocab_size);
  fmt::print("configuration:\n{}tensors:\n", state.config);
  nlohmann::ordered_json tensors;
  for (const auto& [name, tensor] : opened.tensors()) {
    fmt::print("  {:<48} {:<9} [{}]\n", name, to_string(tensor.dtype),
               fmt::join(tensor.shape, ", "));
    tensors[name] = {{"dtype", to_string(tensor.dtype)}, {"shape", tensor.shape}};
  }
  return {.json = {{"path", opened.path().string()},
                   {"step", state.step},
                   {"consumed_samples", state.consumed_samples},
                   {"updates", state.update.updates},
                   {"skipped", state.update.skipped},
                   {"skipped_in_a_row", state.skipped_in_a_row},
                   {"data_digest", state.data_digest},
                   {"config", state.config},
                   {"tokenizer", state.tokenizer ? state.tokenizer->fingerprint : ""},
                   {"tensors", tensors}}};
}

struct ConvertArguments {
  std::filesystem::path from, to;
  bool bfloat16 = false, float32 = false;
  bool adapters = false;                // export the adapters alone
  std::filesystem::path adapters_from;  // import them too; empty: none
};

Outcome report_export(const ConvertArguments& arguments,
                      const checkpoint::huggingface::ExportReport& report) {
  fmt::print("{}: {} ({} bytes)\n", arguments.to.string(), fmt::join(report.files, ", "),
             report.nbytes);
  return {.json = {{"output", arguments.to.string()},
                   {"files", report.files},
                   {"bytes", report.nbytes}}};
}

Outcome export_to_huggingface(const ConvertArguments& arguments) {
  namespace huggingface = checkpoint::huggingface;
  if (arguments.adapters) {
    if (arguments.bfloat16)
      throw Error(ErrorCode::bad_usage, "expected one of --adapters and --bfloat16, found both");
    return report_export(
        arguments, huggingface::export_adapters(
                       checkpoint::open_path(arguments.from, report_passed_over), arguments.to));
  }
  if (arguments.bfloat16 && arguments.float32)
    throw Error(ErrorCode::bad_usage, "expected one of --bfloat16 and --float32, found both");
  huggingface::ExportOptions options;
  if (arguments.bfloat16) options.dtype = checkpoint::StoredType::bfloat16;
  if (arguments.float32) options.dtype = checkpoint::StoredType::float32;
  const checkpoint::Opened opened = checkpoint::open_path(arguments.from, report_passed_over);
  const auto& tokenizer = opened.state().tokenizer;
  // An imported model keeps what its own files say of the end of a text.
  if (tokenizer && tokenizer->eod && opened.state().origin.empty()) {
    options.eos_token_id = tokenizer->eod;
    if (!tokenizer->files.empty()) {
      options.eos_token = open_tokenizer((opened.path() / tokenizer->name).string())
                              ->token_text(static_cast<std::int32_t>(*tokenizer->eod));
    }
  }
  return report_export(arguments, huggingface::export_model(opened, arguments.to, options));
}

Outcome import_from_huggingface(const ConvertArguments& arguments) {
  auto imported = checkpoint::huggingface::open_model(arguments.from);
  for (const std::string& note : imported.notes) say(note);
  if (!arguments.adapters_from.empty())
    checkpoint::huggingface::add_adapters(imported, arguments.adapters_from);
  try {
    imported.tokenizer = open_recorded_tokenizer(imported.config.data.tokenizer).record;
  } catch (const Error& error) {
    say("note: the checkpoint will hold no tokenizer: " + error.message());
  }
  const auto report = checkpoint::huggingface::save_imported(imported, arguments.to);
  const auto file = checkpoint::huggingface::write_train_file(imported.config, arguments.to);
  if (!file.former.empty())
    say(fmt::format("the former {} is now {}", file.path.string(), file.former.string()));
  fmt::print("{} ({} bytes)\ntrain from it: megascale train {} --set data.data_path=PREFIX\n",
             report.path.string(), report.nbytes, file.path.string());
  return {.json = {{"checkpoint", report.path.string()},
                   {"bytes", report.nbytes},
                   {"train_file", file.path.string()}}};
}

}  // namespace

void add_checkpoint(Command& app) {
  Command command =
      app.subcommand("checkpoint", "verifies, lists, exports and imports checkpoints");
  command.needs_subcommand();
  const auto path = std::make_shared<std::filesystem::path>();
  const auto add = [&](const char* name, const char* description,
                       Outcome (*action)(const std::filesystem::path&)) {
    Command sub = command.subcommand(name, description);
    sub.option("PATH", *path, "a checkpoint, or a directory of checkpoints").required();
    sub.does([path, action] { return action(*path); });
  };
  add("verify", "reads every byte and compares it with its digest", verify);
  add("inspect", "lists the contents of the newest intact checkpoint", inspect);

  const auto convert = std::make_shared<ConvertArguments>();
  Command export_command =
      command.subcommand("export", "writes weights and tokenizer as a Hugging Face model");
  export_command.option("CHECKPOINT", convert->from, "a checkpoint, or a directory of checkpoints")
      .required();
  export_command.option("OUTPUT", convert->to, "directory to write").required();
  export_command.flag("--bfloat16", convert->bfloat16, "round the weights to bfloat16");
  export_command.flag("--float32", convert->float32,
                      "write float32 (default: the types of the imported model, or float32)");
  export_command.flag("--adapters", convert->adapters,
                      "write the adapters alone, as PEFT does (default: merged into the weights)");
  export_command.does([convert] { return export_to_huggingface(*convert); });
  Command import_command =
      command.subcommand("import", "writes a checkpoint of step 0 from a Hugging Face model");
  import_command.option("MODEL", convert->from, "directory with config.json and safetensors")
      .required();
  import_command.option("CHECKPOINTS", convert->to, "directory of checkpoints to write to")
      .required();
  import_command.option("--adapters", convert->adapters_from,
                        "directory of PEFT with adapters of the model");
  import_command.does([convert] { return import_from_huggingface(*convert); });
}

}  // namespace megascale::cli
