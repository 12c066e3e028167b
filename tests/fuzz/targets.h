#ifndef MEGASCALE_TESTS_FUZZ_TARGETS_H_
#define MEGASCALE_TESTS_FUZZ_TARGETS_H_

#include <cstddef>
#include <span>
#include <string_view>

// What must hold for any bytes at all. Each target aborts (MEGASCALE_CHECK) when its property is
// broken, lets exceptions other than Error escape, and returns whether the input was accepted: a
// run in which none is, or all are, tests little.
namespace megascale::fuzz {

// A configuration file: refused with bad_usage, or valid and equal to its own text read back.
bool config(std::span<const std::byte> input);
// An override, "section.key=value".
bool config_override(std::span<const std::byte> input);
// A JSONL file, in pieces of seven bytes: each document is non-empty UTF-8 or token ids, and no more
// documents and problems than lines.
bool jsonl(std::span<const std::byte> input);
// A line with a conversation: refused with bad_input, or one that learns something; each template
// refuses it with bad_input, or its pieces give back every content that is learned. Its tokens, of
// the template without special tokens, have a loss mask of their number.
bool conversation(std::span<const std::byte> input);
// A line with a pair of answers: refused with bad_input, or both have something that the loss weighs.
bool preference(std::span<const std::byte> input);
// A file of prompts: refused with bad_input and the number of a line, or prompts that are not empty.
bool prompt_file(std::span<const std::byte> input);
// A file of an evaluation task: refused with bad_input and the number of a line, or documents whose right
// choice exists, and whose choices are not empty.
bool task_file(std::span<const std::byte> input);
// A file of token ids after a byte that says its format: refused, or ids of the vocabulary.
bool token_ids(std::span<const std::byte> input);
// The .info.json beside a data set, and the record of an unfinished preparation: refused, or equal
// to its own text read back.
bool dataset_info(std::span<const std::byte> input);
bool prepare_record(std::span<const std::byte> input);
// An .idx file after four bytes with the size of the .bin file: refused, or documents that rise and
// cover all tokens.
bool index(std::span<const std::byte> input);
// A safetensors file: refused with corrupt_data, or its tensors fill the data in order.
bool safetensors(std::span<const std::byte> input);
// What stands before the digest of a checkpoint's manifest: refused, or equal to its own text read
// back.
bool manifest(std::span<const std::byte> input);
// What stands before the digest of a file of reference scores: refused with corrupt_data or unsupported, or
// scores whose bytes read back.
bool reference_scores(std::span<const std::byte> input);
// A Hugging Face config.json: refused, or a valid model that can be exported and reads back.
bool model_json(std::span<const std::byte> input);
// A tokenizer.json: refused with bad_input, or a tokenizer that encodes texts to ids of its
// vocabulary and decodes them, or refuses a text with bad_input.
bool tokenizer_json(std::span<const std::byte> input);
// A rank file of tiktoken: refused with bad_input, or a tokenizer that restores texts.
bool rank_file(std::span<const std::byte> input);
// PEFT's adapter_config.json: refused by name, or a rank and an alpha that adapters can have.
bool adapter_settings(std::span<const std::byte> input);
// A .routes file of 3 tokens in 2 layers, 2 of 5 experts for each: refused with bad_input and a message
// whose two shapes differ, or different experts for each token.
bool routes(std::span<const std::byte> input);
// A metrics.jsonl with loads of experts: refused with bad_usage by name, or counts in which no expert has
// more than one choice of each token.
bool recorded_loads(std::span<const std::byte> input);
// A pipeline schedule: refused with bad_input, or valid, equal to its own text read back, and
// complete with its transfers.
bool schedule(std::span<const std::byte> input);

// What a client of the embedded store sends, in pieces of seven bytes: each frame is refused, or a
// request within the limits that is written as it was read.
bool store_frames(std::span<const std::byte> input);
// What stands in the store or comes from it: a reply, a rank's records, a verdict. Refused, or
// equal to its own bytes read back.
bool store_records(std::span<const std::byte> input);

// The text of a join token, refused or equal to its own text read back without the space around it; or
// the fields of one, whose text is read back.
bool join_token(std::span<const std::byte> input);
// The URI of a certificate's subject: refused, or equal to its own text read back.
bool identity_uri(std::span<const std::byte> input);
// A certificate (DER), whoever has signed it: refused, or one whose identity is written and read back.
bool member_certificate(std::span<const std::byte> input);
// What a joining host sends: refused, or equal to its own bytes read back; its certificate request is
// refused, or has a key.
bool join_request(std::span<const std::byte> input);
// Messages between a driver and its executors, and what a driver stores: refused with bad_input, or
// equal to its own text read back.
bool control_messages(std::span<const std::byte> input);
// The baseline of a host's self-checks and the report of one: refused with bad_input, or equal to its
// own text read back.
bool diagnose_texts(std::span<const std::byte> input);

// The parts of a request to the dashboard's server, one a line: method, path, host, origin, cookies,
// authorization, token, and parameters "name=value". Only a secret opens it; paths and parameters are
// refused with bad_input, or within their bounds.
bool http_request(std::span<const std::byte> input);
// The body of a request to evict a host: refused with bad_input, or a plain name and a short reason.
bool evict_request(std::span<const std::byte> input);
// A line of metrics.jsonl: left out, or a row whose values are finite or absent.
bool metrics_line(std::span<const std::byte> input);

inline std::string_view as_text(std::span<const std::byte> input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

}  // namespace megascale::fuzz

#endif  // MEGASCALE_TESTS_FUZZ_TARGETS_H_
