// The pipeline of `megascale prepare`: a PartQueue reads parts of the inputs, encodes them on all
// threads, and writes them in order. After the first problem nothing more is written, but the inputs
// are read on, so that up to ten problems are reported at once.
#include "megascale/data/prepare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <thread>

#include "megascale/base/clock.h"
#include "megascale/base/core_binding.h"
#include "megascale/base/files.h"
#include "megascale/base/utf8.h"
#include "megascale/data/dataset_info.h"
#include "megascale/data/encode_part.h"
#include "megascale/data/indexed_dataset.h"
#include "megascale/data/indexed_writer.h"
#include "megascale/data/input_reader.h"
#include "megascale/data/part_queue.h"
#include "megascale/data/prepare_record.h"

namespace megascale {
namespace {

constexpr std::size_t kProblemsMax = 10;
constexpr std::size_t kThreadsMax = 1024;
constexpr std::int64_t kProgressNs = 200'000'000;

// Throws if a file that is written would replace an input.
void require_other_files(const PrepareOptions& options) {
  for (const auto& path :
       {bin_path(options.output), idx_path(options.output), loss_mask_path(options.output),
        info_path(options.output), record_path(options.output)}) {
    for (const char* suffix : {"", ".partial"}) {
      const std::filesystem::path output = std::filesystem::path(path).concat(suffix);
      struct stat theirs {
      }, ours{};
      if (::stat(output.c_str(), &ours) != 0) continue;
      for (const std::filesystem::path& input : options.inputs) {
        if (::stat(input.c_str(), &theirs) != 0 || theirs.st_dev != ours.st_dev ||
            theirs.st_ino != ours.st_ino) {
          continue;
        }
        throw Error(ErrorCode::bad_usage,
                    fmt::format("--output {}: expected files that are no inputs, but {} would "
                                "replace the input {}: choose another prefix",
                                options.output.string(), output.string(), input.string()));
      }
    }
  }
}

// The results of encoding one part.
struct TakenPart {
  std::size_t input = 0;
  EncodedPart encoded;
  std::uint64_t end = 0;  // offset behind the part
  bool in_document = false, is_last = false;
  std::optional<Error> failure;
};

// Returns the end-of-document id, or nothing if the tokenizer has none and none is needed.
std::optional<std::int32_t> eod_of(const Tokenizer& tokenizer, const PrepareOptions& options,
                                   const std::vector<Input>& inputs) {
  try {
    return tokenizer.eod();
  } catch (const Error&) {
    const bool needs_it = std::any_of(inputs.begin(), inputs.end(), [](const Input& input) {
      return input.format == InputFormat::text;
    });
    if (options.append_eod && needs_it) throw;
    return std::nullopt;
  }
}

// Returns the encoder of conversations, or nothing for inputs of another format.
std::optional<chat::ConversationEncoder> conversations_of(const PrepareOptions& options,
                                                          const Tokenizer& tokenizer) {
  if (holds_conversations(options.format) != options.chat_template.has_value()) {
    throw Error(
        ErrorCode::bad_usage,
        options.chat_template
            ? "--chat-template belongs to --format chat or preference: add one, or leave the "
              "template out"
            : fmt::format("--format {}: expected --chat-template and one of {}: the "
                          "template that the model has learnt, or is to learn",
                          to_string(options.format), fmt::join(chat::kChatTemplateNames, ", ")));
  }
  if (!options.chat_template) return std::nullopt;
  return std::optional<chat::ConversationEncoder>(std::in_place, *options.chat_template, tokenizer);
}

class Preparation {
 public:
  Preparation(const PrepareOptions& options, const Tokenizer& tokenizer)
      : options_(options),
        tokenizer_(tokenizer),
        conversations_(conversations_of(options, tokenizer)),
        inputs_(inspect_inputs(options)),
        eod_(eod_of(tokenizer, options, inputs_)),
        reader_(inputs_,
                {.json_key = options.json_key,
                 .eod = eod_,
                 .append_eod = options.append_eod,
                 .raw_bytes = options.raw_bytes,
                 .tokenizer = &tokenizer,
                 .conversations = conversations_ ? &*conversations_ : nullptr},
                options.separator),
        writer_(options.output, token_type_for(tokenizer.vocab_size()),
                {.has_loss_mask = conversations_.has_value()}) {
    records_ =
        std::all_of(inputs_.begin(), inputs_.end(), [](const Input& i) { return i.is_regular; });
    for (const Input& input : inputs_) {
      state_.inputs.push_back(input.identity);
      if (records_) progress_.all_nbytes += input.identity.nbytes;
    }
    state_.settings = {{"format", std::string(to_string(options.format))},
                       {"--json-key", options.json_key},
                       {"--separator", options.separator},
                       {"--no-eod", options.append_eod ? "no" : "yes"},
                       {"--raw-bytes", options.raw_bytes ? "yes" : "no"},
                       {"vocabulary", std::to_string(tokenizer.vocab_size())},
                       {"end-of-document id", eod_ ? std::to_string(*eod_) : "none"},
                       {"fingerprint of the tokenizer", tokenizer.fingerprint()}};
    if (options.chat_template)
      state_.settings.emplace("--chat-template", to_string(*options.chat_template));
  }

  PrepareResult run() {
    writer_.keep(true);  // nothing of an unfinished preparation is lost if its record is refused
    resume();
    writer_.keep(false);
    try {
      run_threads();
      if (problems_.empty()) finish();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io || !is_recorded_) throw;
      writer_.keep(true);
      throw Error(error.code(), error.message() +
                                    ": the work so far is kept; when the cause is "
                                    "removed, the same command goes on");
    }
    if (problems_.size() == kProblemsMax) {
      problems_.emplace_back(ErrorCode::bad_input,
                             fmt::format("stopped after {} problems", kProblemsMax));
    }
    if (!problems_.empty()) {
      remove_record();
      throw join_errors(problems_);
    }
    return {.documents = writer_.documents(),
            .tokens = writer_.tokens(),
            .learned_tokens = state_.learned_tokens,
            .input_nbytes = progress_.input_nbytes,
            .text_nbytes = state_.text_nbytes,
            .resumed_nbytes = progress_.resumed_nbytes};
  }

 private:
  static std::vector<Input> inspect_inputs(const PrepareOptions& options) {
    std::vector<Input> inputs;
    for (const auto& path : options.inputs) inputs.push_back(inspect_input(path, options.format));
    return inputs;
  }

  // Goes on from a record, if there is one.
  void resume() {
    const std::filesystem::path path = record_path(options_.output);
    std::error_code ignored;
    if (options_.begin_anew) remove_record();
    if (!std::filesystem::exists(path, ignored)) return;
    const PrepareRecord before = [&] {
      try {
        return parse_prepare_record(read_text(path), path.string());
      } catch (Error& error) {
        error.add_context("resuming an unfinished preparation (--restart begins anew)");
        throw;
      }
    }();
    if (const std::string other = difference(before, state_); !other.empty()) {
      throw Error(ErrorCode::bad_usage,
                  fmt::format("{} is of an unfinished preparation with other inputs or options: "
                              "{}. Repeat them to go on from there, or add --restart to begin anew",
                              path.string(), other));
    }
    if (!writer_.resume(before.output)) {
      say(fmt::format("{} does not hold what was recorded of it: beginning anew",
                      options_.output.string()));
      remove_record();
      return;
    }
    state_ = before;
    is_recorded_ = true;
    reader_.start_at(state_.place);
    std::int64_t nbytes = static_cast<std::int64_t>(state_.place.offset);
    for (std::size_t i = 0; i < state_.place.input; ++i) nbytes += inputs_[i].identity.nbytes;
    progress_.input_nbytes = progress_.resumed_nbytes = recorded_nbytes_ = nbytes;
    say(fmt::format("resuming at byte {} of {}: {} documents and {} tokens are done",
                    state_.place.offset, inputs_[state_.place.input].path.string(),
                    before.output.documents, before.output.tokens));
  }

  void run_threads() {
    const std::size_t wanted = options_.threads > 0 ? options_.threads : available_cores();
    const std::size_t count = std::clamp<std::size_t>(wanted, 1, kThreadsMax);
    PartQueue<ReadPart, TakenPart> queue(
        {.read = [&] { return reader_.read(); },
         .work = [](const ReadPart& read) { return encode(read); },
         .take = [&](TakenPart taken) { return take(std::move(taken)); },
         .nbytes = [](const ReadPart& read) { return read.part.bytes.size(); }},
        (2 * count + 2) * PartStart().part_nbytes);
    std::vector<std::jthread> threads;
    try {
      while (threads.size() + 1 < count) threads.emplace_back([&] { queue.run(); });
    } catch (const std::system_error&) {  // the system allows no more threads: fewer do the work
    }
    queue.run();
    threads.clear();  // joins
    queue.rethrow();
  }

  static TakenPart encode(const ReadPart& read) {
    TakenPart taken{.input = read.input,
                    .end = read.part.offset + read.part.bytes.size(),
                    .in_document = read.part.in_document,
                    .is_last = read.part.is_last || read.failure,
                    .failure = read.failure};
    if (read.failure) return taken;
    try {
      taken.encoded = encode_part(read.part, *read.encode);
    } catch (Error& error) {
      error.add_context("encoding " + read.encode->name);
      throw;
    }
    return taken;
  }

  // Takes over the parts in their order. Returns whether more shall be read.
  bool take(TakenPart taken) {
    const std::size_t input = taken.input;
    if (input < state_.place.input) return true;  // the rest of an input with a problem
    InputPlace& place = state_.place;
    const std::string name = inputs_[input].path.string();
    place.has_content = place.has_content || taken.encoded.has_content || taken.failure;
    if (taken.failure) add_problem(*taken.failure);
    for (const auto& [line, error] : taken.encoded.problems) {
      add_problem(line < 0
                      ? error
                      : Error(error.code(), fmt::format("{}:{}: {}", name, place.lines + line + 1,
                                                        error.message())));
    }
    if (taken.is_last && !place.has_content) add_problem(no_content(name, inputs_[input].format));
    if (problems_.empty()) write(taken);
    if (taken.end > place.offset)
      progress_.input_nbytes += static_cast<std::int64_t>(taken.end - place.offset);
    place.offset = taken.end;
    place.lines += taken.encoded.lines;
    place.in_document = taken.in_document;
    if (taken.is_last || taken.encoded.ends_input) place = {.input = input + 1};
    reader_.skip_to(place.input);
    if (problems_.empty()) record();
    report();
    return problems_.size() < kProblemsMax;
  }

  void write(const TakenPart& taken) {
    const std::span<const std::int32_t> ids = taken.encoded.ids;
    const std::span<const std::uint8_t> loss_mask = taken.encoded.loss_mask;
    std::size_t begin = 0;
    const auto append_until = [&](std::size_t end) {
      const std::size_t size = end - begin;
      writer_.append(ids.subspan(begin, size),
                     loss_mask.empty() ? loss_mask : loss_mask.subspan(begin, size));
      begin = end;
    };
    for (const std::size_t end : taken.encoded.ends) {
      append_until(end);
      writer_.end_document();
    }
    append_until(ids.size());
    state_.learned_tokens += std::count(loss_mask.begin(), loss_mask.end(), 1);
    // The last document of binary ids need not end with the end-of-document id.
    if (taken.is_last && writer_.in_document()) writer_.end_document();
    if (taken.encoded.has_ids) state_.text_nbytes = -1;
    if (state_.text_nbytes >= 0) state_.text_nbytes += taken.encoded.text_nbytes;
  }

  static Error no_content(const std::string& name, InputFormat format) {
    const bool has_lines = format == InputFormat::jsonl || holds_conversations(format);
    const char* expected = has_lines ? "lines of JSON" : holds_ids(format) ? "token ids" : "text";
    return {ErrorCode::bad_input, fmt::format("{}: expected {}, found none", name, expected)};
  }
  void add_problem(const Error& problem) {
    if (problems_.size() < kProblemsMax) problems_.push_back(problem);
  }

  void record() {
    if (!records_ || state_.place.input == inputs_.size() ||
        progress_.input_nbytes - recorded_nbytes_ < options_.record_nbytes) {
      return;
    }
    state_.output = writer_.flush();
    write_text_atomically(record_path(options_.output), to_text(state_));
    recorded_nbytes_ = progress_.input_nbytes;
    is_recorded_ = true;
  }
  void remove_record() const {
    std::error_code ignored;
    std::filesystem::remove(record_path(options_.output), ignored);
  }

  void report() {
    if (!options_.on_progress || monotonic_ns() - reported_ns_ < kProgressNs) return;
    reported_ns_ = monotonic_ns();
    progress_.tokens = writer_.tokens();
    options_.on_progress(progress_);
  }
  void say(const std::string& message) const {
    if (options_.on_message) options_.on_message(message);
  }

  void finish() {
    DatasetInfo info{.documents = writer_.documents(), .tokens = writer_.tokens()};
    if (state_.text_nbytes >= 0) info.text_nbytes = state_.text_nbytes;
    if (options_.chat_template) info.chat_template = to_string(*options_.chat_template);
    info.has_pairs = options_.format == InputFormat::preference;
    if (!options_.tokenizer_name.empty()) {
      info.tokenizer = checkpoint::TokenizerRecord{.name = options_.tokenizer_name,
                                                   .fingerprint = tokenizer_.fingerprint(),
                                                   .vocab_size = tokenizer_.vocab_size(),
                                                   .eod = eod_,
                                                   .files = {}};
    }
    writer_.finish(to_text(info));
    remove_record();
  }

  const PrepareOptions& options_;
  const Tokenizer& tokenizer_;
  std::optional<chat::ConversationEncoder> conversations_;  // of formats with conversations
  std::vector<Input> inputs_;
  std::optional<std::int32_t> eod_;
  InputReader reader_;
  IndexedDatasetWriter writer_;
  PrepareRecord state_;  // its output is set when it is recorded
  std::vector<Error> problems_;
  PrepareProgress progress_;
  bool records_ = false;      // the inputs can be read again from any place
  bool is_recorded_ = false;  // there is a record of this preparation
  std::int64_t recorded_nbytes_ = 0;
  std::int64_t reported_ns_ = 0;
};

}  // namespace

PrepareResult prepare(const PrepareOptions& options, const Tokenizer& tokenizer) {
  if (options.inputs.empty()) {
    throw Error(ErrorCode::bad_usage, "prepare: expected at least one input, found none");
  }
  if (!options.raw_bytes && valid_utf8_prefix(options.separator) != options.separator.size()) {
    throw Error(ErrorCode::bad_usage, "--separator: expected UTF-8 (or add --raw-bytes)");
  }
  require_other_files(options);
  return Preparation(options, tokenizer).run();
}

}  // namespace megascale
