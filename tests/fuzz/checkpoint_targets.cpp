#include <cmath>
#include <string>
#include <vector>

#include "fuzz/targets.h"
#include "megascale/base/digest.h"
#include "megascale/base/error.h"
#include "megascale/checkpoint/huggingface/adapter_files.h"
#include "megascale/checkpoint/huggingface/model_json.h"
#include "megascale/checkpoint/manifest.h"
#include "megascale/checkpoint/safetensors.h"
#include "megascale/train/reference_scores.h"

namespace megascale::fuzz {
namespace {

std::string as_string(std::span<const std::byte> input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

void expect_named(const Error& error) {
  MEGASCALE_CHECK(error.message().starts_with("fuzz.file: "), error.message());
}

}  // namespace

bool safetensors(std::span<const std::byte> input) {
  // An allocation of the exact size, so that the address sanitizer sees a read past the end.
  const std::vector<std::byte> file(input.begin(), input.end());
  try {
    const auto header = checkpoint::parse_safetensors(file, file.size(), "fuzz.file");
    std::uint64_t end = 0;
    for (const auto& tensor : header.tensors) {
      MEGASCALE_CHECK(tensor.begin == end && tensor.end >= end, "no holes, no overlaps");
      end = tensor.end;
    }
    MEGASCALE_CHECK(header.data_begin + end == file.size(), "nothing is left over");
    return true;
  } catch (const Error& error) {
    MEGASCALE_CHECK(error.code() == ErrorCode::corrupt_data, error.message());
    expect_named(error);
    return false;
  }
}

bool manifest(std::span<const std::byte> input) {
  const std::string body = as_string(input);
  try {
    (void)checkpoint::parse_manifest(body, "fuzz.file");
    MEGASCALE_CHECK(false, "a manifest without its digest is accepted");
  } catch (const Error& error) {
    expect_named(error);
  }
  try {
    const auto manifest = checkpoint::parse_manifest(checkpoint::with_digest(body), "fuzz.file");
    for (const auto& [name, tensor] : checkpoint::collect_tensors(manifest, "fuzz.file")) {
      MEGASCALE_CHECK(!tensor.pieces.empty(), "a tensor has pieces");
    }
    MEGASCALE_CHECK(checkpoint::parse_manifest(to_text(manifest), "again") == manifest,
                    "the text of a manifest reads back");
    return true;
  } catch (const Error& error) {
    expect_named(error);
    return false;
  }
}

bool reference_scores(std::span<const std::byte> input) {
  const std::string file = as_string(input) + digest128(input);
  try {
    const auto scores = train::parse_reference_scores(file, "fuzz.file");
    // Not the values: a score may be a NaN.
    const std::string bytes = to_bytes(scores);
    MEGASCALE_CHECK(to_bytes(train::parse_reference_scores(bytes, "again")) == bytes,
                    "the bytes of scores read back");
    std::size_t count = 0;
    for (const auto& set : scores.sets) count += set.size();
    MEGASCALE_CHECK(count * sizeof(double) <= input.size(), "no score was invented");
    return true;
  } catch (const Error& error) {
    MEGASCALE_CHECK(
        error.code() == ErrorCode::corrupt_data || error.code() == ErrorCode::unsupported,
        error.message());
    expect_named(error);
    return false;
  }
}

bool model_json(std::span<const std::byte> input) {
  using namespace checkpoint::huggingface;
  ModelConfig model;
  try {
    model = parse_model_json(as_string(input), "fuzz.file").model;
  } catch (const Error& error) {
    expect_named(error);
    return false;
  }
  // GPT-2's width need not be a multiple of its heads for the file to be read, but is then refused
  // above.
  check_exportable(model);
  MEGASCALE_CHECK(parse_model_json(to_model_json(model, {}), "again").model == model,
                  "an exported config.json reads back");
  return true;
}

bool adapter_settings(std::span<const std::byte> input) {
  try {
    const auto settings =
        checkpoint::huggingface::parse_adapter_settings(as_string(input), "fuzz.file");
    MEGASCALE_CHECK(settings.rank > 0 && settings.rank <= 1 << 24, "shapes fit 64 bits");
    MEGASCALE_CHECK(settings.alpha > 0 && std::isfinite(settings.alpha), "alpha can be used");
    return true;
  } catch (const Error& error) {
    expect_named(error);
    return false;
  }
}

}  // namespace megascale::fuzz
