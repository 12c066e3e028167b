#include "megascale/data/indexed_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "megascale/base/error.h"
#include "megascale/data/indexed_writer.h"
#include "support/scratch_directory.h"

namespace megascale {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::string_literals;

// Two documents, [1, 2, 3] and [4, 65535], as uint16: written down byte by byte from the format's
// table.
const std::string kIdx =
    "MMIDIDX\0\0"s                                        //  0 magic
    "\1\0\0\0\0\0\0\0"s                                   //  9 version
    "\10"s                                                // 17 dtype: uint16
    "\2\0\0\0\0\0\0\0"s                                   // 18 sequences
    "\3\0\0\0\0\0\0\0"s                                   // 26 document marks
    "\3\0\0\0\2\0\0\0"s                                   // 34 lengths
    "\0\0\0\0\0\0\0\0\6\0\0\0\0\0\0\0"s                   // 42 byte offsets
    "\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"s;  // 58 marks
const std::string kBin = "\1\0\2\0\3\0\4\0\xff\xff"s;

std::vector<std::int32_t> read_all(const IndexedDataset& dataset) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(dataset.index().tokens()));
  dataset.read(0, ids);
  return ids;
}

TEST(IndexedDatasetTest, ReadsTheFormatByteForByte) {
  const testing::ScratchDirectory scratch;
  scratch.write("a.idx", kIdx);
  scratch.write("a.bin", kBin);
  const IndexedDataset dataset(scratch / "a");
  EXPECT_EQ(dataset.index().token_type(), TokenType::uint16);
  EXPECT_EQ(dataset.index().sequences(), 2);
  EXPECT_EQ(dataset.index().documents(), 2);
  EXPECT_EQ(dataset.index().document_start(1), 3);
  EXPECT_EQ(dataset.index().document_start(2), 5);
  EXPECT_THAT(read_all(dataset), ElementsAre(1, 2, 3, 4, 65535));
  std::vector<std::int32_t> part(2);
  dataset.read(3, part);
  EXPECT_THAT(part, ElementsAre(4, 65535));
}

TEST(IndexedDatasetTest, WritesTheFormatByteForByte) {
  const testing::ScratchDirectory scratch;
  IndexedDatasetWriter writer(scratch / "a", TokenType::uint16);
  writer.append(std::vector{1, 2});
  writer.append(std::vector{3});
  writer.end_document();
  writer.append(std::vector{4, 65535});
  writer.end_document();
  writer.finish();
  EXPECT_EQ(read_text(scratch / "a.idx"), kIdx);
  EXPECT_EQ(read_text(scratch / "a.bin"), kBin);
  EXPECT_THAT(scratch.list(), ElementsAre("a.bin", "a.idx"));
}

template <class T>
void expect_readable(std::uint8_t code, const std::vector<T>& tokens,
                     const std::vector<std::int32_t>& want) {
  std::string idx = kIdx, bin(tokens.size() * sizeof(T), '\0');
  std::memcpy(bin.data(), tokens.data(), bin.size());
  idx[17] = static_cast<char>(code);
  idx[34] = 1;
  idx[38] = static_cast<char>(tokens.size() - 1);
  idx[50] = sizeof(T);
  const testing::ScratchDirectory scratch;
  scratch.write("a.idx", idx);
  scratch.write("a.bin", bin);
  const IndexedDataset dataset(scratch / "a");
  EXPECT_EQ(read_all(dataset), want) << to_string(dataset.index().token_type());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    EXPECT_EQ(dataset.token(static_cast<std::int64_t>(i)), static_cast<std::int64_t>(tokens[i]));
  }
}

TEST(IndexedDatasetTest, ReadsEveryIntegerType) {
  expect_readable<std::uint8_t>(1, {0, 200, 255}, {0, 200, 255});
  expect_readable<std::int8_t>(2, {1, -128, 127}, {1, -128, 127});
  expect_readable<std::int16_t>(3, {1, -32768, 32767}, {1, -32768, 32767});
  expect_readable<std::int32_t>(4, {70000, -1, 2147483647}, {70000, -1, 2147483647});
  expect_readable<std::int64_t>(5, {70000, -2, 1L << 40, 3L << 32}, {70000, -2, -1, -1});
  expect_readable<std::uint16_t>(8, {1, 40000, 65535}, {1, 40000, 65535});
}

struct Malformed {
  std::function<void(std::string& idx, std::string& bin)> change;
  std::string message;
};

TEST(IndexedDatasetTest, EveryMalformedFileIsAnErrorThatNamesFileExpectedAndFound) {
  const auto set64 = [](std::size_t at, std::int64_t value) {
    return [=](std::string& idx, std::string&) { std::memcpy(&idx[at], &value, 8); };
  };
  const auto set_byte = [](std::size_t at, char value) {
    return [=](std::string& idx, std::string&) { idx[at] = value; };
  };
  const std::vector<Malformed> all{
      {[](std::string& idx, std::string&) { idx.clear(); },
       "expected a header of 34 bytes, found a file of 0"},
      {[](std::string& idx, std::string&) { idx.resize(33); },
       "expected a header of 34 bytes, found a file of 33"},
      {set_byte(0, 'm'), "expected an indexed dataset, which begins with \"MMIDIDX\""},
      {set_byte(8, 1), "expected an indexed dataset"},
      {set64(9, 2), "expected version 1, found 2"},
      {set_byte(17, 0), "expected a dtype code from 1 to 8, found 0"},
      {set_byte(17, 9), "expected a dtype code from 1 to 8, found 9"},
      {set_byte(17, 6), "expected integer tokens, found dtype code 6 (float64)"},
      {set_byte(17, 7), "expected integer tokens, found dtype code 7 (float32)"},
      {set64(18, 5),
       "expected room for 5 sequences and 3 document marks, found a file of 82 bytes"},
      {set64(18, -1), "expected room for 18446744073709551615 sequences"},
      {set64(18, 1), "expected 70 bytes for 1 sequences and 3 document marks, found 82"},
      {set64(26, 4), "expected room for 2 sequences and 4 document marks"},
      {set64(26, std::int64_t{1} << 61), "document marks, found a file of 82 bytes"},
      {set64(26, 0), "expected 58 bytes for 2 sequences and 0 document marks, found 82"},
      {[](std::string& idx, std::string&) { idx += 'x'; },
       "expected 82 bytes for 2 sequences and 3 document marks, found 83"},
      {set_byte(37, '\x80'), "sequence 0: expected a length >= 0, found -2147483645"},
      {set64(42, 2), "sequence 0: expected byte offset 0 (sequences lie back to back), found 2"},
      {set64(50, -6), "sequence 1: expected byte offset 6 (sequences lie back to back), found -6"},
      {set_byte(38, 3),
       "sequence 1: ends at token 6, but the .bin file holds 5 tokens of uint16 (10 bytes)"},
      {[](std::string&, std::string& bin) { bin.resize(9); },
       "ends at token 5, but the .bin file holds 4 tokens"},
      {[](std::string&, std::string& bin) { bin += "\0\0"s; },
       "expected a .bin file of 10 bytes (5 tokens of uint16), found 12"},
      {set64(58, 1), "expected the first document mark to be 0, found 1"},
      {set64(66, 3), "document mark 2: expected at least 3 (marks rise), found 2"},
      {set64(66, -1), "document mark 1: expected at least 0 (marks rise), found -1"},
      {set64(74, 1), "expected the last document mark to be 2, the number of sequences, found 1"},
      {[](std::string& idx, std::string& bin) {
         idx.resize(34);
         std::fill(idx.begin() + 18, idx.end(), '\0');
         bin.clear();
       },
       "expected at least one document mark, found none"},
  };
  for (const Malformed& example : all) {
    std::string idx = kIdx, bin = kBin;
    example.change(idx, bin);
    const testing::ScratchDirectory scratch;
    scratch.write("a.idx", idx);
    scratch.write("a.bin", bin);
    try {
      const IndexedDataset dataset(scratch / "a");
      ADD_FAILURE() << "accepted: " << example.message;
    } catch (const Error& error) {
      EXPECT_THAT(error.message(), HasSubstr("a.idx: "));
      EXPECT_THAT(error.message(), HasSubstr(example.message));
      EXPECT_TRUE(error.code() == ErrorCode::bad_input || error.code() == ErrorCode::unsupported);
    }
  }
}

TEST(IndexedDatasetTest, MissingFilesAreNamed) {
  const testing::ScratchDirectory scratch;
  scratch.write("a.bin", kBin);
  try {
    const IndexedDataset dataset(scratch / "a");
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("a.idx: No such file"));
  }
}

TEST(IndexedDatasetTest, ModesOfMultimodalSetsAreAcceptedAndEmptySetsToo) {
  const testing::ScratchDirectory scratch;
  scratch.write("a.idx", kIdx + "\1\1"s);
  scratch.write("a.bin", kBin);
  EXPECT_EQ(IndexedDataset(scratch / "a").index().tokens(), 5);
  IndexedDatasetWriter(scratch / "b", TokenType::int32).finish();
  EXPECT_EQ(IndexedDataset(scratch / "b").index().documents(), 0);
}

TEST(IndexedDatasetTest, TokenTypeIsChosenAsMegatronDoes) {
  EXPECT_EQ(token_type_for(256), TokenType::uint16);
  EXPECT_EQ(token_type_for(65'499), TokenType::uint16);
  EXPECT_EQ(token_type_for(65'500), TokenType::int32);
}

TEST(IndexedDatasetWriterTest, EveryTypeReadsBackAndRefusesWhatItCannotHold) {
  const std::vector<std::pair<TokenType, std::vector<std::int32_t>>> all{
      {TokenType::uint8, {0, 255}},         {TokenType::int8, {-128, 127}},
      {TokenType::int16, {-32768, 32767}},  {TokenType::uint16, {0, 65535}},
      {TokenType::int32, {-5, 2147483647}}, {TokenType::int64, {-5, 2147483647}}};
  for (const auto& [type, ids] : all) {
    const testing::ScratchDirectory scratch;
    IndexedDatasetWriter writer(scratch / "a", type);
    writer.append(ids);
    writer.end_document();
    if (itemsize(type) < 4) {
      EXPECT_THROW(writer.append(std::vector{ids[0] - 1}), Error) << to_string(type);
      EXPECT_THROW(writer.append(std::vector{ids[1] + 1}), Error) << to_string(type);
    }
    writer.finish();
    EXPECT_EQ(read_all(IndexedDataset(scratch / "a")), ids) << to_string(type);
  }
}

TEST(IndexedDatasetWriterTest, LongDocumentsBecomeSequencesAndEmptyOnesStayDocuments) {
  const testing::ScratchDirectory scratch;
  IndexedDatasetWriter writer(scratch / "deep/er/a", TokenType::int32, {.sequence_tokens_max = 2});
  for (const std::vector<std::int32_t>& document : {std::vector{1, 2, 3}, {}, {4, 5}, {6}, {}}) {
    writer.append(document);
    writer.end_document();
  }
  writer.finish();
  const IndexedDataset dataset(scratch / "deep/er/a");
  EXPECT_EQ(dataset.index().sequences(), 6);
  std::vector<std::int64_t> starts;
  for (std::int64_t d = 0; d <= dataset.index().documents(); ++d)
    starts.push_back(dataset.index().document_start(d));
  EXPECT_THAT(starts, ElementsAre(0, 3, 3, 5, 6, 6));
  EXPECT_THAT(read_all(dataset), ElementsAre(1, 2, 3, 4, 5, 6));
  for (const auto& [token, document] :
       std::vector<std::pair<int, int>>{{-1, 0}, {0, 0}, {1, 1}, {3, 1}, {4, 3}, {6, 4}, {7, 5}}) {
    EXPECT_EQ(dataset.index().first_document_from(token), document) << token;
  }
}

TEST(IndexedDatasetWriterTest, NothingIsLeftOrReplacedWithoutFinish) {
  const testing::ScratchDirectory scratch;
  scratch.write("a.idx", kIdx);
  scratch.write("a.bin", kBin);
  {
    IndexedDatasetWriter writer(scratch / "a", TokenType::uint16);
    writer.append(std::vector<std::int32_t>(2'000'000, 7));
    EXPECT_THROW(writer.append(std::vector{65536}), Error);
    EXPECT_THROW(writer.append(std::vector{-1}), Error);
  }
  EXPECT_THAT(scratch.list(), ElementsAre("a.bin", "a.idx"));
  EXPECT_EQ(IndexedDataset(scratch / "a").index().tokens(), 5);
  IndexedDatasetWriter writer(scratch / "a", TokenType::uint8);
  writer.append(std::vector<std::int32_t>(3'000'000, 7));
  writer.end_document();
  writer.finish();
  const IndexedDataset replaced(scratch / "a");
  EXPECT_EQ(read_all(replaced), std::vector<std::int32_t>(3'000'000, 7));
}

TEST(IndexedDatasetWriterTest, AnOldIndexNeverStandsBesideNewTokens) {
  const testing::ScratchDirectory scratch;
  scratch.write("a.idx", kIdx);
  std::filesystem::create_directories(scratch / "a.bin/in_the_way");
  IndexedDatasetWriter writer(scratch / "a", TokenType::uint16);
  writer.append(std::vector{1});
  writer.end_document();
  EXPECT_THROW(writer.finish(), Error);
  EXPECT_FALSE(std::filesystem::exists(scratch / "a.idx"));
}

TEST(IndexedDatasetWriterTest, ManySequencesKeepTheirOffsets) {
  const testing::ScratchDirectory scratch;
  IndexedDatasetWriter writer(scratch / "a", TokenType::uint16);
  constexpr std::int32_t kDocuments = 300'000;  // more offsets than the writer buffers
  for (std::int32_t d = 0; d < kDocuments; ++d) {
    writer.append(std::vector<std::int32_t>(static_cast<std::size_t>(d % 3), d % 1000));
    writer.end_document();
  }
  writer.finish();
  const IndexedDataset dataset(scratch / "a");
  EXPECT_EQ(dataset.index().documents(), kDocuments);
  EXPECT_EQ(dataset.index().document_start(299'999), 299'998);
  EXPECT_EQ(dataset.token(299'997), 998);
  EXPECT_EQ(dataset.token(299'998), 999);
}

}  // namespace
}  // namespace megascale
