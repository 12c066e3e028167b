// Writes and parses manifest.json. A manifest decides which bytes are loaded as weights, so it is
// treated as untrusted. The digest of the text is checked first, then the JSON, then whether
// shapes, offsets and byte ranges agree with each other. The text is composed by hand, so that the
// digest is its last member, at a fixed distance from the end.
#include "megascale/checkpoint/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "megascale/base/digest.h"
#include "megascale/checkpoint/json_text.h"
#include "megascale/checkpoint/safetensors.h"

namespace megascale::checkpoint {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kFormat = "megascale-checkpoint";
// The digest covers all bytes before this tail of fixed size. It can therefore be checked before
// anything is parsed.
constexpr std::string_view kTailBegin = "\n,\"digest\": \"";
constexpr std::string_view kTailEnd = "\"\n}\n";
constexpr std::size_t kDigestSize = 32;
constexpr std::size_t kTailSize = kTailBegin.size() + kDigestSize + kTailEnd.size();
constexpr std::size_t kAxesMax = 8;

std::string quoted(const std::string& text) {
  try {
    return Json(text).dump();
  } catch (const Json::exception&) {
    throw Error(ErrorCode::failed, fmt::format("checkpoint manifest: expected UTF-8, found \"{}\"",
                                               shown(std::string_view(text))));
  }
}

std::string extents_text(const Extents& extents) { return Json(extents).dump(); }

std::string shards_text(const std::vector<ShardFile>& shards) {
  std::string text = "[";
  for (const ShardFile& shard : shards) {
    text += fmt::format(
        "{}\n{{\"file\": {}, \"rank\": {}, \"nbytes\": {}, \"header_digest\": {}, \"pieces\": [",
        &shard == shards.data() ? "" : ",", quoted(shard.file), shard.rank, shard.nbytes,
        quoted(shard.header_digest));
    for (const StoredPiece& piece : shard.pieces) {
      text += fmt::format(
          "{}\n{{\"name\": {}, \"dtype\": \"{}\", \"global_shape\": {}, \"offset\": {}, \"shape\": "
          "{}, \"begin\": {}, "
          "\"end\": {}, \"digest\": {}}}",
          &piece == shard.pieces.data() ? "" : ",", quoted(piece.name),
          to_string(stored_type(piece.dtype)), extents_text(piece.global_shape),
          extents_text(piece.box.offset), extents_text(piece.box.shape), piece.begin, piece.end,
          quoted(piece.digest));
    }
    text += "]}";
  }
  return text + "]";
}

// The value must have exactly 32 lower-case hexadecimal digits.
std::string hex_member(const Json& object, const char* key, const JsonSource& source,
                       std::string_view where) {
  std::string text = string_member(object, key, source, where);
  if (text.size() != kDigestSize ||
      text.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw source.error(fmt::format("expected \"{}\"{}{} to be 32 hexadecimal digits, found \"{}\"",
                                   key, where.empty() ? "" : " in ", where,
                                   shown(std::string_view(text))));
  }
  return text;
}

Extents extents_member(const Json& object, const char* key, const JsonSource& source,
                       std::string_view where) {
  Extents extents;
  for (const Json& extent : array_member(object, key, source, where)) {
    if (!extent.is_number_unsigned() || extent.get<std::uint64_t>() >= std::uint64_t{1} << 62 ||
        extents.size() == kAxesMax) {
      throw source.error(
          fmt::format("expected \"{}\" in {} to be at most {} integers >= 0, found {}", key, where,
                      kAxesMax, shown(object.at(key))));
    }
    extents.push_back(extent.get<std::int64_t>());
  }
  return extents;
}

StoredPiece parse_piece(const Json& json, const JsonSource& source, const std::string& shard) {
  StoredPiece piece{.name = string_member(json, "name", source, "a piece of " + shard)};
  const std::string where =
      fmt::format("piece \"{}\" of {}", shown(std::string_view(piece.name)), shard);
  const std::string dtype = string_member(json, "dtype", source, where);
  const auto type = parse_stored_type(dtype);
  if (!type || !dtype_of(*type)) {
    throw source.error(fmt::format("expected a known dtype in {}, found \"{}\"", where,
                                   shown(std::string_view(dtype))));
  }
  piece.dtype = *dtype_of(*type);
  piece.global_shape = extents_member(json, "global_shape", source, where);
  piece.box = {extents_member(json, "offset", source, where),
               extents_member(json, "shape", source, where)};
  piece.begin = static_cast<std::uint64_t>(integer_member(json, "begin", source, where));
  piece.end = static_cast<std::uint64_t>(integer_member(json, "end", source, where));
  piece.digest = hex_member(json, "digest", source, where);
  return piece;
}

ShardFile parse_shard(const Json& json, const JsonSource& source) {
  ShardFile shard{.file = string_member(json, "file", source, "a shard")};
  // Only a plain name is allowed, so that no file outside the checkpoint's directory is opened.
  if (!is_plain_file_name(shard.file)) {
    throw source.error(
        fmt::format("expected the name of a file in the checkpoint's directory, found \"{}\"",
                    shown(std::string_view(shard.file))));
  }
  shard.rank = integer_member(json, "rank", source, shard.file);
  shard.nbytes = static_cast<std::uint64_t>(integer_member(json, "nbytes", source, shard.file));
  shard.header_digest = hex_member(json, "header_digest", source, shard.file);
  for (const Json& piece : array_member(json, "pieces", source, shard.file)) {
    shard.pieces.push_back(parse_piece(piece, source, shard.file));
  }
  return shard;
}

std::vector<ShardFile> parse_shard_list(const Json& list, const JsonSource& source) {
  std::vector<ShardFile> shards;
  for (const Json& shard : list) shards.push_back(parse_shard(shard, source));
  return shards;
}

// Numbers that no run can reach would overflow where the run goes on, and Adam's corrections of the
// moments would not be finite.
void require_counts(const RunState& state, const JsonSource& source) {
  constexpr std::int64_t kStepsMax = std::int64_t{1} << 31;
  constexpr std::int64_t kSamplesMax = std::int64_t{1} << 62;
  const auto bound = [&](const char* key, std::int64_t found, std::int64_t most, const char* why) {
    if (found <= most) return;
    throw source.error(fmt::format("expected \"{}\" in state to be at most {} ({}), found {}", key,
                                   most, why, found));
  };
  const UpdateState& update = state.update;
  bound("step", state.step, kStepsMax, "the longest run");
  bound("consumed_samples", state.consumed_samples, kSamplesMax, "the longest run");
  bound("updates", update.updates, state.step, "the steps done");
  bound("skipped", update.skipped, state.step - update.updates, "the steps without an update");
  bound("skipped_in_a_row", state.skipped_in_a_row, update.skipped, "all skipped steps");
}

RunState parse_state(const Json& json, const JsonSource& source) {
  const std::string where = "state";
  RunState state;
  state.step = integer_member(json, "step", source, where);
  state.consumed_samples = integer_member(json, "consumed_samples", source, where);
  state.sample_digest = string_member(json, "sample_digest", source, where);
  state.seed = integer_member(json, "seed", source, where, INT64_MIN);
  state.data_seed = integer_member(json, "data_seed", source, where, INT64_MIN);
  state.update.updates = integer_member(json, "updates", source, where);
  state.update.skipped = integer_member(json, "skipped", source, where);
  // Version 0.1 did not write the next two.
  if (json.contains("skipped_in_a_row"))
    state.skipped_in_a_row = integer_member(json, "skipped_in_a_row", source, where);
  if (json.contains("data_digest"))
    state.data_digest = string_member(json, "data_digest", source, where);
  state.config = string_member(json, "config", source, where);
  if (json.contains("origin")) state.origin = string_member(json, "origin", source, where);
  if (json.contains("reference_digest"))
    state.reference_digest = hex_member(json, "reference_digest", source, where);
  if (json.contains("tokenizer"))
    state.tokenizer = parse_tokenizer_record(json.at("tokenizer"), source, "tokenizer");
  require_counts(state, source);
  return state;
}

void check_piece(const StoredPiece& piece, std::uint64_t begin, const ShardFile& shard,
                 const JsonSource& source) {
  const std::string where =
      fmt::format("piece \"{}\" of {}", shown(std::string_view(piece.name)), shard.file);
  const auto numel = checked_numel(piece.global_shape);
  if (!numel || *numel > (std::uint64_t{1} << 62) / itemsize(piece.dtype)) {
    throw source.error(fmt::format("expected a shape below 2^62 bytes in {}, found {}", where,
                                   to_string(piece.global_shape)));
  }
  if (!lies_inside(piece.box, piece.global_shape)) {
    throw source.error(fmt::format("expected a part of {} in {}, found offset {} and shape {}",
                                   to_string(piece.global_shape), where,
                                   to_string(piece.box.offset), to_string(piece.box.shape)));
  }
  const std::uint64_t nbytes = *checked_numel(piece.box.shape) * itemsize(piece.dtype);
  if (piece.begin < begin || piece.end < piece.begin || piece.end - piece.begin != nbytes ||
      piece.end > shard.nbytes) {
    throw source.error(fmt::format("expected {} bytes between {} and {} in {}, found {} to {}",
                                   nbytes, begin, shard.nbytes, where, piece.begin, piece.end));
  }
}

}  // namespace

// Checks the byte range of every piece within its shard, then the boxes of every tensor.
LogicalTensors collect_tensors(const Manifest& manifest, const std::string& file) {
  const JsonSource source{file};
  LogicalTensors tensors;
  std::set<std::string_view> files;
  for (std::uint32_t s = 0; s < manifest.shards.size(); ++s) {
    const ShardFile& shard = manifest.shards[s];
    if (!files.insert(shard.file).second) {
      throw source.error(fmt::format("expected each shard once, found {} twice", shard.file));
    }
    if (shard.rank >= manifest.world_size) {
      throw source.error(fmt::format("expected a rank below {} for {}, found {}",
                                     manifest.world_size, shard.file, shard.rank));
    }
    for (std::uint32_t p = 0; p < shard.pieces.size(); ++p) {
      const StoredPiece& piece = shard.pieces[p];
      // The first piece follows the header, whose size is not known here; it is at least 8 bytes
      // long. Every other piece begins where the one before it ends.
      const std::uint64_t begin = p == 0 ? 8 : shard.pieces[p - 1].end;
      check_piece(piece, begin, shard, source);
      if (p > 0 && piece.begin != begin) {
        throw source.error(fmt::format("expected piece \"{}\" of {} to begin at byte {}, found {}",
                                       piece.name, shard.file, begin, piece.begin));
      }
      LogicalTensor& tensor = tensors[piece.name];
      if (tensor.pieces.empty()) {
        tensor.dtype = piece.dtype;
        tensor.shape = piece.global_shape;
      } else if (tensor.dtype != piece.dtype || tensor.shape != piece.global_shape) {
        throw source.error(
            fmt::format("expected all pieces of \"{}\" to be of {} {}, found {} {} in {}",
                        piece.name, to_string(tensor.dtype), to_string(tensor.shape),
                        to_string(piece.dtype), to_string(piece.global_shape), shard.file));
      }
      tensor.pieces.push_back({s, p});
    }
    const std::uint64_t end = shard.pieces.empty() ? shard.nbytes : shard.pieces.back().end;
    if (end != shard.nbytes) {
      throw source.error(
          fmt::format("expected {} to end with its last piece at byte {}, found {} bytes",
                      shard.file, end, shard.nbytes));
    }
  }
  for (const auto& [name, tensor] : tensors) {
    std::vector<Box> boxes;
    for (const PieceRef& ref : tensor.pieces)
      boxes.push_back(manifest.shards[ref.shard].pieces[ref.piece].box);
    if (const auto error = tiling_error(tensor.shape, boxes)) {
      throw source.error(
          fmt::format("expected the pieces of \"{}\" {} to hold each element once, found: {}", name,
                      to_string(tensor.shape), *error));
    }
  }
  return tensors;
}

std::string with_digest(std::string body) {
  const std::string digest = digest128(std::as_bytes(std::span(body.data(), body.size())));
  body.append(kTailBegin).append(digest).append(kTailEnd);
  return body;
}

std::string to_text(const Manifest& manifest) {
  const RunState& state = manifest.state;
  std::string text = fmt::format(
      "{{\n\"format\": \"{}\",\n\"version\": {},\n\"generation\": {},\n\"world_size\": {}{}{},\n"
      "\"state\": {{\"step\": {}, \"consumed_samples\": {}, \"sample_digest\": {}, \"seed\": {}, "
      "\"data_seed\": {}, "
      "\"updates\": {}, \"skipped\": {}, \"skipped_in_a_row\": {}, \"data_digest\": {},\n"
      "\"config\": {}{}{}{}}},\n\"shards\": {}",
      kFormat, Manifest::kVersion, quoted(manifest.generation), manifest.world_size,
      manifest.epoch ? fmt::format(",\n\"epoch\": {}", *manifest.epoch) : "",
      manifest.attempt ? fmt::format(",\n\"attempt\": {{\"record\": {}, \"epoch\": {}}}",
                                     quoted(manifest.attempt->record), manifest.attempt->epoch)
                       : "",
      state.step, state.consumed_samples, quoted(state.sample_digest), state.seed, state.data_seed,
      state.update.updates, state.update.skipped, state.skipped_in_a_row, quoted(state.data_digest),
      quoted(state.config), state.origin.empty() ? "" : ",\n\"origin\": " + quoted(state.origin),
      state.reference_digest.empty() ? ""
                                     : ",\n\"reference_digest\": " + quoted(state.reference_digest),
      state.tokenizer ? ",\n\"tokenizer\": " + to_text(*state.tokenizer) : "",
      shards_text(manifest.shards));
  return with_digest(std::move(text));
}

Manifest parse_manifest(std::string_view text, const std::string& file) {
  const JsonSource source{file};
  const std::string_view tail =
      text.size() < kTailSize ? std::string_view() : text.substr(text.size() - kTailSize);
  if (!tail.starts_with(kTailBegin) || !tail.ends_with(kTailEnd)) {
    throw source.error(
        fmt::format("expected a manifest that ends with its digest, found \"{}\"",
                    shown(text.substr(text.size() - std::min(text.size(), kTailSize)))));
  }
  const std::string_view body = text.substr(0, text.size() - kTailSize);
  const std::string digest = digest128(std::as_bytes(std::span(body.data(), body.size())));
  if (tail.substr(kTailBegin.size(), kDigestSize) != digest) {
    throw source.error(fmt::format("expected the digest {}, found {}: the manifest was changed",
                                   shown(tail.substr(kTailBegin.size(), kDigestSize)), digest));
  }
  const Json json = parse_json(text, source, 8);
  if (const std::string format = string_member(json, "format", source); format != kFormat) {
    throw source.error(fmt::format("expected the format \"{}\", found \"{}\"", kFormat,
                                   shown(std::string_view(format))));
  }
  if (const auto version = integer_member(json, "version", source); version != Manifest::kVersion) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("{}: expected version {}, found {}: written by another version of this program",
                    file, Manifest::kVersion, version));
  }
  Manifest manifest;
  manifest.generation = hex_member(json, "generation", source, {});
  manifest.world_size = integer_member(json, "world_size", source, {}, 1);
  if (json.contains("epoch")) manifest.epoch = integer_member(json, "epoch", source, {}, 1);
  if (json.contains("attempt")) {
    const Json& attempt = member(json, "attempt", source, {});
    manifest.attempt = {.record = hex_member(attempt, "record", source, "attempt"),
                        .epoch = integer_member(attempt, "epoch", source, "attempt", 1)};
  }
  manifest.state = parse_state(member(json, "state", source, {}), source);
  manifest.shards = parse_shard_list(array_member(json, "shards", source), source);
  return manifest;
}

std::string to_text(const std::vector<ShardFile>& shards) { return shards_text(shards); }

std::vector<ShardFile> parse_shards(std::string_view text, const std::string& source_name) {
  const JsonSource source{source_name};
  const Json json = parse_json(text, source, 6);
  if (!json.is_array())
    throw source.error(fmt::format("expected a list of shards, found {}", shown(json)));
  return parse_shard_list(json, source);
}

}  // namespace megascale::checkpoint
