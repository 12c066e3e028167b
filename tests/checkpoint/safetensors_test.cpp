#include "megascale/checkpoint/safetensors.h"

#include <cstring>

#include "checkpoint/support.h"

namespace megascale::checkpoint {
namespace {

using testing::error_of;
using testing::says;
using testing::Scratch;

std::string file_of(const std::string& json, std::size_t data_nbytes) {
  const std::uint64_t length = json.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  return file + json + std::string(data_nbytes, 'x');
}
SafetensorsHeader parse(const std::string& file) {
  return parse_safetensors(std::as_bytes(std::span(file.data(), file.size())), file.size(), "NAME");
}

TEST(SafetensorsTest, WhatIsWrittenIsRead) {
  std::vector<StoredTensor> tensors;
  for (int type = 0; type <= static_cast<int>(StoredType::uint64); ++type) {
    const auto stored = static_cast<StoredType>(type);
    EXPECT_EQ(parse_stored_type(to_string(stored)), stored);
    tensors.push_back(
        {.name = "t\"\xC3\xA9\n" + std::to_string(type), .type = stored, .shape = {3, type}});
  }
  tensors.push_back({.name = "scalar", .type = StoredType::float64, .shape = {}});
  const Metadata metadata{{"format", "pt"}, {"a", "\\"}};
  std::string file = make_safetensors_header(tensors, metadata);
  EXPECT_EQ(file.size() % 64, 0U);
  const std::size_t header_nbytes = file.size();
  file.resize(header_nbytes + tensors.back().end, '\1');
  const Scratch scratch;
  testing::write_bytes(scratch.path() / "f", {file.begin(), file.end()});
  const SafetensorsFile read(scratch.path() / "f");
  EXPECT_EQ(read.header().metadata, metadata);
  EXPECT_EQ(read.header().data_begin, header_nbytes);
  ASSERT_EQ(read.header().tensors.size(), tensors.size());
  for (const StoredTensor& tensor : tensors) {
    const StoredTensor* found = read.find(tensor.name);
    ASSERT_NE(found, nullptr) << tensor.name;
    EXPECT_EQ(found->type, tensor.type);
    EXPECT_EQ(found->shape, tensor.shape);
    EXPECT_EQ(found->begin, tensor.begin);
    EXPECT_EQ(read.bytes(*found).size(), tensor.end - tensor.begin);
  }
  EXPECT_EQ(read.find("none"), nullptr);
}

TEST(SafetensorsTest, TensorsMayStandInAnyOrder) {
  const auto header = parse(file_of(
      R"({"b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]},"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}   )",
      6));
  ASSERT_EQ(header.tensors.size(), 2U);
  EXPECT_EQ(header.tensors[0].name, "a");
  EXPECT_EQ(header.tensors[1].name, "b");
}

TEST(SafetensorsTest, MalformedFilesAreRefusedByName) {
  struct Case {
    std::string file, expected, found;
  };
  const auto one = [](const std::string& entry, std::size_t nbytes) {
    return file_of("{\"t\":" + entry + "}", nbytes);
  };
  const std::vector<Case> cases{
      {"", "at least 8 bytes", "found 0"},
      {"1234567", "at least 8 bytes", "found 7"},
      {file_of("{}", 0).substr(0, 9), "at most 1 bytes", "length of 2"},
      {std::string(8, '\xff') + "{}", "at most 2 bytes", "found a length of 18446744073709551615"},
      {file_of("", 4), "begins with '{'", "\"\""},
      {file_of("[]", 0), "begins with '{'", "[]"},
      {file_of("{\"t\":", 0), "expected JSON", "error"},
      {file_of("{} {}", 0), "expected JSON", "error"},
      {file_of("{\"\xff\":1}", 0), "expected JSON", "error"},
      {file_of("{\"a\":{},\"a\":{}}", 0), "each key once", "twice"},
      {file_of("{\"a\":{\"shape\":[[[1]]]}}", 0), "at most 3 levels", "more"},
      {one("1", 0), "an object in tensor \"t\"", "found 1"},
      {one(R"({"shape":[],"data_offsets":[0,4]})", 4), "the key \"dtype\" in tensor \"t\"", "none"},
      {one(R"({"dtype":3,"shape":[],"data_offsets":[0,4]})", 4),
       "\"dtype\" in tensor \"t\" to be a string", "3"},
      {one(R"({"dtype":"F31","shape":[],"data_offsets":[0,4]})", 4), "a known dtype", "F31"},
      {one(R"({"dtype":"F32","shape":3,"data_offsets":[0,4]})", 4),
       "\"shape\" in tensor \"t\" to be a list", "3"},
      {one(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})", 4), "integers >= 0 in \"shape\"",
       "-1"},
      {one(R"({"dtype":"F32","shape":[1.0],"data_offsets":[0,4]})", 4),
       "integers >= 0 in \"shape\"", "1.0"},
      {one(R"({"dtype":"F32","shape":["1"],"data_offsets":[0,4]})", 4),
       "integers >= 0 in \"shape\"", "\"1\""},
      {one(R"({"dtype":"F32","shape":[],"data_offsets":[0]})", 4), "two \"data_offsets\"", "[0]"},
      {one(R"({"dtype":"F32","shape":[],"data_offsets":[0,4,8]})", 4), "two \"data_offsets\"",
       "[0,4,8]"},
      {one(R"({"dtype":"F32","shape":[],"data_offsets":[4,0]})", 4), "expected 4 bytes", "4 to 0"},
      {one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})", 4),
       "expected 8 bytes for F32 [2]", "0 to 4"},
      {one(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]})", 0),
       "below 2^62 bytes", "4294967296"},
      {one(R"({"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0]})", 0),
       "below 2^62 bytes", "2305843009213693952"},
      {one(R"({"dtype":"F32","shape":[],"data_offsets":[18446744073709551612,18446744073709551616]})",
           0),
       "integers >= 0", "18446744073709551612"},
      {one(R"({"dtype":"F32","shape":[],"data_offsets":[0,4]})", 3), "expected 65 bytes (",
       "found 64"},
      {one(R"({"dtype":"F32","shape":[],"data_offsets":[0,4]})", 5), "expected 65 bytes (",
       "found 66"},
      {one(R"({"dtype":"F32","shape":[],"data_offsets":[4,8]})", 8), "begin at data byte 0",
       "found 4"},
      {file_of(
           R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[3,7]}})",
           7),
       "\"b\" to begin at data byte 4", "found 3"},
      {file_of(R"({"__metadata__":[]})", 0), "\"__metadata__\" to be an object", "[]"},
      {file_of(R"({"__metadata__":{"a":1}})", 0), "strings in \"__metadata__\"", "1"},
  };
  for (const Case& bad : cases) {
    const Error error = error_of([&] { (void)parse(bad.file); });
    EXPECT_TRUE(says(error, ErrorCode::corrupt_data, {"NAME: expected", bad.expected, bad.found}));
  }
}

TEST(SafetensorsTest, HeaderLongerThanTheBoundIsRefusedWithoutReadingIt) {
  std::string head(8, '\0');
  const std::uint64_t length = kHeaderMax + 1;
  std::memcpy(head.data(), &length, sizeof length);
  const Error error = error_of([&] {
    (void)safetensors_header_nbytes(std::as_bytes(std::span(head.data(), head.size())),
                                    std::uint64_t{1} << 40, "NAME");
  });
  EXPECT_TRUE(says(error, ErrorCode::corrupt_data, {"NAME", "at most 100000000", "100000001"}));
}

TEST(SafetensorsTest, WriterRefusesWhatAReaderWould) {
  const auto make = [](std::vector<StoredTensor> tensors) {
    (void)make_safetensors_header(tensors, {});
  };
  EXPECT_TRUE(says(error_of([&] {
                     make({{.name = "a"}, {.name = "a"}});
                   }),
                   ErrorCode::failed, {"each name once"}));
  EXPECT_TRUE(says(error_of([&] { make({{.name = "__metadata__"}}); }), ErrorCode::failed,
                   {"each name once"}));
  EXPECT_TRUE(says(error_of([&] { make({{.name = "\xff"}}); }), ErrorCode::failed, {"UTF-8"}));
  EXPECT_TRUE(
      says(error_of([&] { make({{.name = "a", .shape = {-1}}}); }), ErrorCode::failed, {"shape"}));
}

}  // namespace
}  // namespace megascale::checkpoint
