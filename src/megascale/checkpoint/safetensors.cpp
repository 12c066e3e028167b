// Reads and writes headers of safetensors files. The files may come from strangers, so every number
// of a header is checked for its range, and all tensors together must cover the data exactly. One
// table relates the types of the format to our dtypes.
#include "megascale/checkpoint/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "megascale/base/error.h"
#include "megascale/base/utf8.h"
#include "megascale/checkpoint/box.h"
#include "megascale/checkpoint/json_text.h"

namespace megascale::checkpoint {
namespace {

static_assert(std::endian::native == std::endian::little,
              "tensors are written as they lie in memory");

struct TypeRow {
  StoredType type;
  std::string_view name;
  std::size_t itemsize;
  std::optional<DType> dtype;
};
constexpr std::array kTypes{
    TypeRow{StoredType::bool8, "BOOL", 1, std::nullopt},
    TypeRow{StoredType::uint8, "U8", 1, DType::uint8},
    TypeRow{StoredType::int8, "I8", 1, std::nullopt},
    TypeRow{StoredType::float8_e5m2, "F8_E5M2", 1, std::nullopt},
    TypeRow{StoredType::float8_e4m3, "F8_E4M3", 1, DType::float8_e4m3},
    TypeRow{StoredType::int16, "I16", 2, std::nullopt},
    TypeRow{StoredType::uint16, "U16", 2, DType::uint16},
    TypeRow{StoredType::float16, "F16", 2, std::nullopt},
    TypeRow{StoredType::bfloat16, "BF16", 2, DType::bfloat16},
    TypeRow{StoredType::int32, "I32", 4, DType::int32},
    TypeRow{StoredType::uint32, "U32", 4, std::nullopt},
    TypeRow{StoredType::float32, "F32", 4, DType::float32},
    TypeRow{StoredType::float64, "F64", 8, DType::float64},
    TypeRow{StoredType::int64, "I64", 8, DType::int64},
    TypeRow{StoredType::uint64, "U64", 8, std::nullopt},
};
constexpr bool rows_match_the_enum() {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (static_cast<std::size_t>(kTypes[i].type) != i) return false;
  }
  return true;
}
static_assert(rows_match_the_enum());
const TypeRow& row(StoredType type) noexcept { return kTypes[static_cast<std::size_t>(type)]; }

// Alignment of the data in a file, in bytes: a cache line and the widest vector register.
constexpr std::size_t kAlignment = 64;

StoredTensor parse_tensor(const std::string& name, const nlohmann::json& entry,
                          const JsonSource& source) {
  const std::string where = fmt::format("tensor \"{}\"", shown(std::string_view(name)));
  StoredTensor tensor{.name = name};
  const std::string dtype = string_member(entry, "dtype", source, where);
  const auto type = parse_stored_type(dtype);
  if (!type) {
    throw source.error(fmt::format("expected a known dtype in {}, found \"{}\"", where,
                                   shown(std::string_view(dtype))));
  }
  tensor.type = *type;
  const auto unsigned_of = [&](const nlohmann::json& value, const char* key) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= std::uint64_t{1} << 62) {
      throw source.error(fmt::format("expected integers >= 0 in \"{}\" of {}, found {}", key, where,
                                     shown(value)));
    }
    return value.get<std::uint64_t>();
  };
  for (const auto& extent : array_member(entry, "shape", source, where)) {
    tensor.shape.push_back(static_cast<std::int64_t>(unsigned_of(extent, "shape")));
  }
  const auto& offsets = array_member(entry, "data_offsets", source, where);
  if (offsets.size() != 2) {
    throw source.error(
        fmt::format("expected two \"data_offsets\" in {}, found {}", where, shown(offsets)));
  }
  tensor.begin = unsigned_of(offsets[0], "data_offsets");
  tensor.end = unsigned_of(offsets[1], "data_offsets");
  const auto numel = checked_numel(tensor.shape);
  if (!numel || *numel >= (std::uint64_t{1} << 62) / itemsize(tensor.type)) {
    throw source.error(fmt::format("expected a shape below 2^62 bytes in {}, found {}", where,
                                   to_string(tensor.shape)));
  }
  const std::uint64_t nbytes = *numel * itemsize(tensor.type);
  if (tensor.end < tensor.begin || tensor.end - tensor.begin != nbytes) {
    throw source.error(fmt::format("expected {} bytes for {} {} in {}, found data_offsets {} to {}",
                                   nbytes, dtype, to_string(tensor.shape), where, tensor.begin,
                                   tensor.end));
  }
  return tensor;
}

Metadata parse_metadata(const nlohmann::json& entry, const JsonSource& source) {
  if (!entry.is_object())
    throw source.error(
        fmt::format("expected \"__metadata__\" to be an object, found {}", shown(entry)));
  Metadata metadata;
  for (const auto& [key, value] : entry.items()) {
    if (!value.is_string()) {
      throw source.error(
          fmt::format("expected strings in \"__metadata__\", found {}", shown(value)));
    }
    metadata.emplace(key, value.get<std::string>());
  }
  return metadata;
}

}  // namespace

std::string_view to_string(StoredType type) noexcept { return row(type).name; }
std::size_t itemsize(StoredType type) noexcept { return row(type).itemsize; }
std::optional<DType> dtype_of(StoredType type) noexcept { return row(type).dtype; }

std::optional<StoredType> parse_stored_type(std::string_view name) noexcept {
  for (const TypeRow& type : kTypes) {
    if (type.name == name) return type.type;
  }
  return std::nullopt;
}

StoredType stored_type(DType dtype) noexcept {
  for (const TypeRow& type : kTypes) {
    if (type.dtype == dtype) return type.type;
  }
  MEGASCALE_CHECK(false, "a DType without a row in the table of safetensors types");
}

std::uint64_t safetensors_header_nbytes(std::span<const std::byte> first8,
                                        std::uint64_t file_nbytes, const std::string& file) {
  const JsonSource source{file};
  if (first8.size() < 8 || file_nbytes < 8) {
    throw source.error(fmt::format("expected a safetensors file of at least 8 bytes, found {}",
                                   std::min<std::uint64_t>(first8.size(), file_nbytes)));
  }
  std::uint64_t length = 0;
  std::memcpy(&length, first8.data(), sizeof length);
  if (length > kHeaderMax || length > file_nbytes - 8) {
    throw source.error(fmt::format("expected a header of at most {} bytes, found a length of {}",
                                   std::min(kHeaderMax, file_nbytes - 8), length));
  }
  return 8 + length;
}

SafetensorsHeader parse_safetensors(std::span<const std::byte> head, std::uint64_t file_nbytes,
                                    const std::string& file) {
  const JsonSource source{file};
  const std::uint64_t header_nbytes = safetensors_header_nbytes(head, file_nbytes, file);
  MEGASCALE_CHECK(head.size() >= header_nbytes, "the caller reads the whole header");
  const std::string_view text(reinterpret_cast<const char*>(head.data()) + 8, header_nbytes - 8);
  if (text.empty() || text.front() != '{') {
    throw source.error(fmt::format("expected a header that begins with '{{', found \"{}\"",
                                   shown(text.substr(0, 16))));
  }
  const nlohmann::json json = parse_json(text, source, 3);
  SafetensorsHeader header{.data_begin = header_nbytes};
  for (const auto& [name, entry] : json.items()) {
    if (name == "__metadata__") {
      header.metadata = parse_metadata(entry, source);
    } else {
      header.tensors.push_back(parse_tensor(name, entry, source));
    }
  }
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const StoredTensor& a, const StoredTensor& b) {
              return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
            });
  std::uint64_t end = 0;
  for (const StoredTensor& tensor : header.tensors) {
    if (tensor.begin != end) {
      throw source.error(fmt::format(
          "expected tensor \"{}\" to begin at data byte {}, where the one before ends, found {}",
          shown(std::string_view(tensor.name)), end, tensor.begin));
    }
    end = tensor.end;
  }
  if (end != file_nbytes - header_nbytes) {
    throw source.error(fmt::format("expected {} bytes ({} of header, {} of tensors), found {}",
                                   header_nbytes + end, header_nbytes, end, file_nbytes));
  }
  return header;
}

std::string make_safetensors_header(std::vector<StoredTensor>& tensors, const Metadata& metadata) {
  const auto refuse = [](const std::string& message) {
    throw Error(ErrorCode::failed, "safetensors header: " + message);
  };
  const auto quoted = [&](const std::string& text) {
    if (valid_utf8_prefix(text) != text.size()) {
      refuse(fmt::format("expected UTF-8, found \"{}\"", shown(std::string_view(text))));
    }
    return nlohmann::json(text).dump();
  };
  std::string json = "{\"__metadata__\":{";
  for (const auto& [key, value] : metadata) {
    json += fmt::format("{}{}:{}", json.back() == '{' ? "" : ",", quoted(key), quoted(value));
  }
  json += '}';
  std::uint64_t offset = 0;
  std::set<std::string_view> names{"__metadata__"};
  for (StoredTensor& tensor : tensors) {
    if (!names.insert(tensor.name).second)
      refuse(fmt::format("expected each name once, found \"{}\" again", tensor.name));
    const auto numel = checked_numel(tensor.shape);
    if (!numel) refuse(fmt::format("expected a shape below 2^62 elements for \"{}\"", tensor.name));
    tensor.begin = offset;
    offset += *numel * itemsize(tensor.type);
    tensor.end = offset;
    json += fmt::format(",{}:{{\"dtype\":\"{}\",\"shape\":{},\"data_offsets\":[{},{}]}}",
                        quoted(tensor.name), to_string(tensor.type),
                        nlohmann::json(tensor.shape).dump(), tensor.begin, tensor.end);
  }
  json += '}';
  json.resize((json.size() + 8 + kAlignment - 1) / kAlignment * kAlignment - 8, ' ');
  if (json.size() > kHeaderMax)
    refuse(fmt::format("expected at most {} bytes, found {}", kHeaderMax, json.size()));
  const std::uint64_t length = json.size();
  std::string header(8, '\0');
  std::memcpy(header.data(), &length, sizeof length);
  return header + json;
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(path) {
  header_ = parse_safetensors(file_.bytes(), file_.bytes().size(), path.string());
  for (std::size_t i = 0; i < header_.tensors.size(); ++i)
    index_.emplace(header_.tensors[i].name, i);
}

std::string_view SafetensorsFile::header_text() const noexcept {
  return {reinterpret_cast<const char*>(file_.bytes().data()) + 8, header_.data_begin - 8};
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const noexcept {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &header_.tensors[found->second];
}

std::span<const std::byte> SafetensorsFile::bytes(const StoredTensor& tensor) const noexcept {
  return file_.bytes().subspan(header_.data_begin + tensor.begin, tensor.end - tensor.begin);
}

}  // namespace megascale::checkpoint
