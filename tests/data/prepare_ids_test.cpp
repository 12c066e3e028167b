// Token ids as inputs of prepare: each format, its headers, and the bound of the vocabulary.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "megascale/data/dataset_info.h"
#include "megascale/data/indexed_dataset.h"
#include "megascale/data/prepare.h"
#include "support/scratch_directory.h"

namespace megascale {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::string_literals;

using Documents = std::vector<std::vector<std::int32_t>>;

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// An .npy file as numpy.save() writes it.
std::string npy(const std::string& type, const std::string& shape, const std::string& data) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(118 - 1, ' ');
  header += '\n';
  return "\x93NUMPY\1\0\x76\0"s + header + data;
}

class PrepareIdsTest : public ::testing::Test {
 protected:
  // The documents of an input; the vocabulary has 1,000 ids, and 7 ends documents.
  Documents read(const std::string& name, const std::string& content, InputFormat format,
                 PrepareOptions options = {}) {
    options.inputs = {scratch_.write(name, content)};
    options.output = scratch_ / "out";
    options.format = format;
    options.tokenizer_name.clear();
    (void)prepare(options, vocabulary_);
    const IndexedDataset dataset(scratch_ / "out");
    Documents documents;
    for (std::int64_t d = 0; d < dataset.index().documents(); ++d) {
      const std::int64_t begin = dataset.index().document_start(d);
      documents.emplace_back(
          static_cast<std::size_t>(dataset.index().document_start(d + 1) - begin));
      dataset.read(begin, documents.back());
    }
    return documents;
  }
  std::string error_of(const std::string& name, const std::string& content, InputFormat format) {
    try {
      (void)read(name, content, format);
    } catch (const Error& error) {
      return error.message();
    }
    return "none";
  }
  const testing::ScratchDirectory scratch_;
  IdVocabulary vocabulary_{1000, 7};
};

TEST_F(PrepareIdsTest, LinesOfIds) {
  EXPECT_EQ(read("a", "1 2,3\r\n\n 4, 5 7\n", InputFormat::ids),
            (Documents{{1, 2, 3, 7}, {4, 5, 7}}));
  EXPECT_EQ(read("a", "1\n2", InputFormat::ids, {.append_eod = false}), (Documents{{1}, {2}}));
  EXPECT_THAT(error_of("a", "1\n2 1000\n3 x\n", InputFormat::ids),
              ::testing::AllOf(HasSubstr("a:2: position 1: expected ids from 0 to 999"),
                               HasSubstr("found 1000"),
                               HasSubstr("a:3: expected token ids with spaces or commas")));
  EXPECT_THAT(error_of("a", "-1\n", InputFormat::ids), HasSubstr("found -1"));
  EXPECT_THAT(error_of("a", "\n", InputFormat::ids), HasSubstr("expected token ids, found none"));
}

TEST_F(PrepareIdsTest, ListsInJsonLines) {
  EXPECT_EQ(read("a.jsonl", "{\"input_ids\": [1, 2]}\n{\"input_ids\": [7]}\n",
                 InputFormat::automatic, {.json_key = "input_ids"}),
            (Documents{{1, 2, 7}, {7}}));
  EXPECT_THAT(error_of("a.jsonl", "{\"text\": [1, 1000]}\n", InputFormat::automatic),
              HasSubstr("a.jsonl:1: \"text\": position 1: expected ids from 0 to 999"));
  EXPECT_THAT(error_of("a.jsonl", "{\"text\": [1, 2.5]}\n", InputFormat::automatic),
              HasSubstr("expected token ids, found 2.5"));
  EXPECT_THAT(error_of("a.jsonl", "{\"text\": [18446744073709551615]}\n", InputFormat::automatic),
              HasSubstr("found -1"));
  EXPECT_THAT(error_of("a.jsonl", "{\"input_ids\": [1], \"id\": 3}\n", InputFormat::automatic),
              HasSubstr("found \"id\", \"input_ids\"; if \"input_ids\" holds the documents, add "
                        "--json-key input_ids"));
  EXPECT_THAT(error_of("a.jsonl", "{\"text\": \"x\"}\n", InputFormat::automatic),
              HasSubstr("a text needs a tokenizer"));
}

TEST_F(PrepareIdsTest, BinaryIdsEndDocumentsByTheirId) {
  const Documents two{{1, 2, 7}, {3, 999}};
  const std::vector<std::uint16_t> shorts{1, 2, 7, 3, 999};
  const std::vector<std::uint32_t> ints{1, 2, 7, 3, 999};
  EXPECT_EQ(read("train.bin", bytes_of(shorts), InputFormat::uint16), two);
  EXPECT_EQ(read("train.bin", bytes_of(ints), InputFormat::uint32), two);
  EXPECT_EQ(read("a.npy", npy("<u2", "(5,)", bytes_of(shorts)), InputFormat::automatic), two);
  EXPECT_EQ(read("a.npy", npy("<i8", "(5,)", bytes_of(std::vector<std::int64_t>{1, 2, 7, 3, 999})),
                 InputFormat::automatic),
            two);
  // llm.c: 256 int32 before the ids.
  std::vector<std::int32_t> header(256);
  header[0] = 20240520;
  header[1] = 1;
  header[2] = 5;
  EXPECT_EQ(read("train.bin", bytes_of(header) + bytes_of(shorts), InputFormat::uint16), two);
  const IndexedDataset dataset(scratch_ / "out");
  const auto info = read_dataset_info(scratch_ / "out", dataset.index().tokens());
  ASSERT_TRUE(info);
  EXPECT_FALSE(info->tokenizer || info->text_nbytes);
}

TEST_F(PrepareIdsTest, ManyBinaryIdsCrossTheBordersOfParts) {
  std::vector<std::uint16_t> ids(1'000'000);
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<std::uint16_t>(i % 300'001 == 300'000 ? 7 : 8 + i % 900);
  const Documents documents = read("a", bytes_of(ids), InputFormat::uint16);
  ASSERT_EQ(documents.size(), 4U);
  std::size_t at = 0;
  for (const auto& document : documents) {
    for (const std::int32_t id : document) ASSERT_EQ(id, ids[at++]);
  }
  EXPECT_EQ(at, ids.size());
  ids[700'000] = 1000;
  EXPECT_THAT(error_of("a", bytes_of(ids), InputFormat::uint16),
              HasSubstr("a: token 700000: expected ids from 0 to 999"));
}

TEST_F(PrepareIdsTest, WrongHeadersAreRefused) {
  const std::string data = bytes_of(std::vector<std::uint16_t>{1, 2});
  for (const auto& [content, words] : std::vector<std::pair<std::string, std::string>>{
           {"abc", "expected an array of numpy"},
           {npy("<f4", "(1,)", data), "expected little-endian integers"},
           {npy(">u2", "(2,)", data), "expected little-endian integers"},
           {npy("<u2", "(1, 2)", data),
            "expected an array of one dimension, found the shape (1, 2)"},
           {npy("<u2", "(3,)", data), "expected 3 items of 2 bytes after a header of 128"},
           {"\x93NUMPY\1\0\xff\xff"s + data + data, "expected a header of at most"}}) {
    EXPECT_THAT(error_of("a.npy", content, InputFormat::automatic), HasSubstr(words));
  }
  EXPECT_THAT(error_of("a", "abc", InputFormat::uint16), HasSubstr("found a file of 3 bytes"));
  EXPECT_THAT(error_of("a", npy("<u2", "(2,)", data), InputFormat::uint16),
              HasSubstr("--format npy"));
}

}  // namespace
}  // namespace megascale
