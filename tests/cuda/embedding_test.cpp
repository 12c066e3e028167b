// Tokens sorted by their row, and the order in which the gradient of an embedding adds them. Without a
// device, skipped.
#include "megascale/kernels/cuda/embedding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "megascale/base/philox.h"
#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"
#include "megascale/kernels/cuda/sort_tokens.h"
#include "support/close.h"

namespace megascale::kernels::cuda {
namespace {

class DeviceEmbedding : public ::testing::Test {
 public:
  void SetUp() override {
    if (megascale::cuda::device_count() == 0) GTEST_SKIP() << megascale::cuda::why_no_device();
    megascale::cuda::use_device(0);
  }
};

template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : memory_(values.size() * sizeof(T)) {
    megascale::cuda::copy_to_device(memory_.bytes().data(), std::as_bytes(std::span(values)));
  }
  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(memory_.bytes().data()); }

 private:
  megascale::cuda::DeviceMemory memory_;
};
template <class T>
std::vector<T> fetch(const T* from, std::size_t count) {
  std::vector<T> values(count);
  megascale::cuda::copy_to_host(std::as_writable_bytes(std::span(values)),
                                reinterpret_cast<const std::byte*>(from));
  return values;
}

// Some indices lie before and behind the table. Every third one is the same.
std::vector<std::int32_t> indices(std::size_t tokens, std::size_t start, std::size_t rows) {
  const PhiloxStream random(tokens + rows, "indices");
  std::vector<std::int32_t> result;
  for (std::size_t n = 0; n < tokens; ++n) {
    const std::uint64_t drawn = random.bits(n) % (rows + start + rows / 8 + 1);
    result.push_back(static_cast<std::int32_t>(n % 3 == 0 ? start + rows / 2 : drawn));
  }
  return result;
}

// Returns the tokens in the order of their rows, of which a table has `rows` from `start` on.
std::vector<std::uint32_t> sorted(std::vector<std::uint32_t>& row,
                                  const std::vector<std::int32_t>& index, std::size_t counted,
                                  std::size_t start, std::size_t rows) {
  row.assign(index.size(), static_cast<std::uint32_t>(rows));
  for (std::size_t n = 0; n < counted; ++n) {
    const std::int64_t here = index[n] - static_cast<std::int64_t>(start);
    if (here >= 0 && here < static_cast<std::int64_t>(rows))
      row[n] = static_cast<std::uint32_t>(here);
  }
  std::vector<std::uint32_t> tokens(index.size());
  std::iota(tokens.begin(), tokens.end(), 0U);
  std::stable_sort(tokens.begin(), tokens.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return row[a] < row[b]; });
  std::stable_sort(row.begin(), row.end());
  return tokens;
}

struct SortSetting {
  std::size_t tokens, start, rows, counted;
};
TEST_F(DeviceEmbedding, TokensAreSortedByRowAndStayInOrder) {
  for (const SortSetting& s : {SortSetting{1, 0, 1, 1},
                               {31, 0, 255, 31},
                               {2048, 0, 256, 2048},
                               {2049, 500, 300, 2049},
                               {5000, 0, 50304, 5000},
                               {5000, 64000, 65536, 4999},
                               {4500, 3, 70000, 100},
                               {100, 0, 20, 0}}) {
    SCOPED_TRACE(fmt::format("{} tokens, rows {} from {} on", s.tokens, s.rows, s.start));
    const auto index = indices(s.tokens, s.start, s.rows);
    const OnDevice on_device(index);
    const OnDevice counts(std::vector<std::int64_t>{static_cast<std::int64_t>(s.counted)});
    const megascale::cuda::DeviceMemory scratch(sort_tokens_scratch_bytes(s.tokens));
    const megascale::cuda::Stream stream;
    const TokenOrder order = sort_tokens({.tokens = s.tokens,
                                          .counted = {counts.data(), 1},
                                          .index = on_device.data(),
                                          .vocab_start = s.start,
                                          .vocab_count = s.rows,
                                          .scratch = scratch.bytes().data()},
                                         stream.get());
    if (auto error = megascale::cuda::take_error()) throw Error(*error);
    stream.synchronize();
    std::vector<std::uint32_t> row;
    EXPECT_EQ(fetch(order.token, s.tokens), sorted(row, index, s.counted, s.start, s.rows));
    EXPECT_EQ(fetch(order.row, s.tokens), row);
  }
}

// The sum of a row as embedding.h says: in runs of sorted tokens, then over the runs.
std::vector<float> sums_in_order(const std::vector<std::uint32_t>& row,
                                 const std::vector<std::uint32_t>& token,
                                 const std::vector<float>& dy, std::vector<float> table,
                                 std::size_t channels) {
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t begin = 0; begin < row.size();) {
      std::size_t end = begin;
      float sum = 0;
      bool is_first = true;
      while (end < row.size() && row[end] == row[begin]) {
        float part = 0;
        const std::size_t run = end / kEmbeddingRun;
        for (; end < row.size() && row[end] == row[begin] && end / kEmbeddingRun == run; ++end)
          part += dy[token[end] * channels + c];
        sum = is_first ? part : sum + part;
        is_first = false;
      }
      if (row[begin] * channels < table.size()) table[row[begin] * channels + c] += sum;
      begin = end;
    }
  }
  return table;
}

TEST_F(DeviceEmbedding, GradientsAreAddedInTheOrderOfTokens) {
  constexpr std::size_t kChannels = 12, kRows = 300;
  for (const std::size_t tokens : {40U, 700U}) {
    const auto index = indices(tokens, 5, kRows);
    const auto dy = testing::normal(tokens * kChannels, 7, 1.0);
    const auto old = testing::normal(kRows * kChannels, 8, 1.0);
    std::vector<std::uint32_t> row;
    const auto order = sorted(row, index, tokens, 5, kRows);
    const OnDevice index_there(index);
    const OnDevice dy_there(dy), table(old);
    const megascale::cuda::DeviceMemory scratch(
        embedding_gradient_scratch_bytes(tokens, kChannels));
    for (const bool accumulate : {true, false}) {
      const megascale::cuda::Stream stream;
      embedding_gradient({.tokens = tokens,
                          .channels = kChannels,
                          .dy = dy_there.data(),
                          .index = index_there.data(),
                          .vocab_start = 5,
                          .vocab_count = kRows,
                          .table_gradient = table.data(),
                          .accumulate = accumulate,
                          .scratch = scratch.bytes().data()},
                         stream.get());
      if (auto error = megascale::cuda::take_error()) throw Error(*error);
      stream.synchronize();
      const auto want = sums_in_order(row, order, dy,
                                      accumulate ? old : std::vector<float>(old.size()), kChannels);
      EXPECT_EQ(fetch(table.data(), old.size()), want) << tokens << " tokens, " << accumulate;
    }
  }
}

}  // namespace
}  // namespace megascale::kernels::cuda
