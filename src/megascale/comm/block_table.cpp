// An all_to_all_v moves blocks whose sizes are known only at run time. Before a byte moves, every
// member checks its own counts against the plan's bound and its buffers, so that no block lies
// outside a buffer. Then the counts of each pair of members are compared. Each back end has its own
// way to learn the counts of the others: threads read each other's tables, processes send them,
// devices gather them (docs/decisions/0017-counts-on-devices.md).
#include "megascale/comm/block_table.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

namespace megascale::comm {
namespace {

std::int64_t count_at(std::span<const std::byte> counts, DType dtype, std::size_t i) noexcept {
  if (dtype == DType::int32) {
    std::int32_t count = 0;
    std::memcpy(&count, counts.data() + i * sizeof count, sizeof count);
    return count;
  }
  std::int64_t count = 0;
  std::memcpy(&count, counts.data() + i * sizeof count, sizeof count);
  return count;
}

Error wrong(std::string text) { return {ErrorCode::failed, "all_to_all_v: " + std::move(text)}; }

}  // namespace

BlockTable::BlockTable(std::vector<std::uint32_t> ranks, std::uint32_t my_index)
    : ranks_(std::move(ranks)),
      my_index_(my_index),
      sends_(ranks_.size()),
      receives_(ranks_.size()) {}

std::optional<Error> BlockTable::check(std::uint32_t member, const BlockCounts& counts,
                                       const Transfer& mine) const {
  MEGASCALE_CHECK(counts.dtype == DType::int64 || counts.dtype == DType::int32,
                  "counts of a type that is no integer");
  const auto check_side = [&](std::span<const std::byte> side, std::uint64_t buffer_nbytes,
                              const char* does, const char* to) -> std::optional<Error> {
    MEGASCALE_CHECK(side.size() == ranks_.size() * itemsize(counts.dtype),
                    "an all_to_all_v has one count per member");
    std::uint64_t total = 0;
    for (std::size_t m = 0; m < ranks_.size(); ++m) {
      const std::int64_t rows = count_at(side, counts.dtype, m);
      if (rows < 0 || static_cast<std::uint64_t>(rows) > counts.bound) {
        return wrong(
            fmt::format("rank {} {} {} rows {} rank {}, expected 0 to {}, the bound of a "
                        "block in the plan",
                        ranks_[member], does, rows, to, ranks_[m], counts.bound));
      }
      total += static_cast<std::uint64_t>(rows);
    }
    if (counts.layout == BlockLayout::fixed) total = ranks_.size() * counts.bound;
    const std::uint64_t most = counts.row_nbytes > 0 ? buffer_nbytes / counts.row_nbytes
                                                     : std::numeric_limits<std::uint64_t>::max();
    if (total <= most) return std::nullopt;
    return wrong(fmt::format("rank {} {} {} rows in all, its buffer holds {}", ranks_[member], does,
                             total, most));
  };
  if (auto error = check_side(counts.send, mine.send.size(), "sends", "to")) return error;
  return check_side(counts.receive, mine.receive.size(), "expects", "from");
}

std::optional<Error> BlockTable::read(const Transfer& transfer) {
  if (auto error = check(my_index_, transfer.counts, transfer)) return error;
  fill(transfer);
  if (rows_to(my_index_) == rows_from(my_index_)) return std::nullopt;
  return disagreement(my_index_, rows_to(my_index_), my_index_, rows_from(my_index_));
}

std::optional<Error> BlockTable::read_all(const Transfer& transfer,
                                          std::span<const std::byte> all) {
  const std::size_t size = ranks_.size(), side = size * itemsize(transfer.counts.dtype);
  MEGASCALE_CHECK(all.size() == 2 * side * size, "the counts of all members");
  const auto sends_of = [&](std::size_t m) { return all.subspan(m * 2 * side, side); };
  const auto receives_of = [&](std::size_t m) { return all.subspan(m * 2 * side + side, side); };
  for (std::uint32_t m = 0; m < size; ++m) {
    BlockCounts counts = transfer.counts;
    counts.send = sends_of(m);
    counts.receive = receives_of(m);
    if (auto error = check(m, counts, transfer)) return error;
  }
  for (std::uint32_t from = 0; from < size; ++from) {
    for (std::uint32_t to = 0; to < size; ++to) {
      const auto rows =
          static_cast<std::uint64_t>(count_at(sends_of(from), transfer.counts.dtype, to));
      const auto expected =
          static_cast<std::uint64_t>(count_at(receives_of(to), transfer.counts.dtype, from));
      if (rows != expected) return disagreement(from, rows, to, expected);
    }
  }
  Transfer on_host = transfer;
  on_host.counts.send = sends_of(my_index_);
  on_host.counts.receive = receives_of(my_index_);
  fill(on_host);
  return std::nullopt;
}

void BlockTable::fill(const Transfer& transfer) {
  transfer_ = transfer;
  const BlockCounts& counts = transfer.counts;
  const auto place = [&](std::vector<Block>& blocks, std::span<const std::byte> side) {
    std::uint64_t begin = 0;
    for (std::size_t m = 0; m < blocks.size(); ++m) {
      const auto rows = static_cast<std::uint64_t>(count_at(side, counts.dtype, m));
      blocks[m] = {.begin = begin, .rows = rows};
      begin += (counts.layout == BlockLayout::fixed ? counts.bound : rows) * counts.row_nbytes;
    }
  };
  place(sends_, counts.send);
  place(receives_, counts.receive);
}

Error BlockTable::disagreement(std::uint32_t sender, std::uint64_t rows, std::uint32_t receiver,
                               std::uint64_t expected) const {
  return wrong(fmt::format("rank {} sends {} rows to rank {}, which expects {} from it",
                           ranks_[sender], rows, ranks_[receiver], expected));
}

std::vector<std::uint32_t> ranks_or_numbers(std::vector<std::uint32_t> ranks, std::size_t size) {
  if (!ranks.empty()) return ranks;
  ranks.resize(size);
  std::iota(ranks.begin(), ranks.end(), 0U);
  return ranks;
}

}  // namespace megascale::comm
