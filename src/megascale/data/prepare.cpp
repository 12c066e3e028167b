// The pipeline of `megascale prepare`: open each input, split it into documents
// (read_documents.cpp), encode them, and write an indexed dataset. After the first problem nothing
// more is written, but the inputs are read on, so that up to ten problems are reported at once.
#include "megascale/data/prepare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>

#include "megascale/base/files.h"
#include "megascale/data/indexed_writer.h"

namespace megascale {
namespace {

constexpr std::size_t kProblemsMax = 10;

bool is_jsonl(const PrepareOptions& options, const std::filesystem::path& input) {
  return options.format == InputFormat::automatic ? megascale::is_jsonl(input)
                                                  : options.format == InputFormat::jsonl;
}

}  // namespace

bool is_jsonl(const std::filesystem::path& input) {
  const auto extension = input.extension();
  return extension == ".jsonl" || extension == ".ndjson" || extension == ".json";
}

ByteSource open_source(const std::filesystem::path& input, std::int64_t& total_nbytes) {
  auto file = std::make_shared<FileHandle>(open_file(input, OpenMode::read_stream));
  return [file, input, &total_nbytes](std::span<char> buffer) -> std::size_t {
    for (;;) {
      const ssize_t count = ::read(file->get(), buffer.data(), buffer.size());
      if (count >= 0) {
        total_nbytes += count;
        return static_cast<std::size_t>(count);
      }
      if (errno == EINTR) continue;
      throw Error(ErrorCode::io, fmt::format("cannot read {}: {}", input.string(),
                                             std::generic_category().message(errno)));
    }
  };
}

PrepareResult prepare(const PrepareOptions& options, const Tokenizer& tokenizer) {
  if (options.inputs.empty()) {
    throw Error(ErrorCode::bad_usage, "prepare: expected at least one input, found none");
  }
  PrepareResult result;
  std::vector<Error> problems;
  const auto keep_problem = [&](const Error& problem) {
    problems.push_back(problem);
    return problems.size() < kProblemsMax;
  };
  IndexedDatasetWriter writer(options.output, token_type_for(tokenizer.vocab_size()));
  std::vector<std::int32_t> ids;
  bool output_failed = false, in_document = false;
  const TextSink sink = [&](std::string_view text, bool ends) {
    if (!problems.empty()) return;  // nothing will be written; only look for more problems
    output_failed = true;           // stays true if one of the calls below throws
    ids.clear();
    in_document ? tokenizer.encode_rest(text, ids) : tokenizer.encode(text, ids);
    in_document = !ends;
    if (ends && options.append_eod) ids.push_back(tokenizer.eod());
    writer.append(ids);
    if (ends) writer.end_document();
    output_failed = false;
  };
  for (const std::filesystem::path& input : options.inputs) {
    if (problems.size() == kProblemsMax) break;
    try {
      const ByteSource source = open_source(input, result.input_nbytes);
      if (is_jsonl(options, input)) {
        read_jsonl(source, input.string(), options.json_key, tokenizer, sink, keep_problem);
      } else {
        read_text_documents(source, input.string(), options.separator, options.raw_bytes, tokenizer,
                            sink);
      }
    } catch (const Error& error) {
      if (output_failed) throw;
      keep_problem(error);
    }
  }
  if (problems.size() == kProblemsMax) {
    problems.emplace_back(ErrorCode::bad_input,
                          fmt::format("stopped after {} problems", kProblemsMax));
  }
  if (!problems.empty()) throw join_errors(problems);
  writer.finish();
  result.documents = writer.documents();
  result.tokens = writer.tokens();
  return result;
}

}  // namespace megascale
