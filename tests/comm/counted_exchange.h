#ifndef MEGASCALE_TESTS_COMM_COUNTED_EXCHANGE_H_
#define MEGASCALE_TESTS_COMM_COUNTED_EXCHANGE_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "megascale/comm/communicator.h"

namespace megascale::comm {

// An all_to_all_v of a whole group, as tests describe it. Rows are of `row_count` elements of T;
// `rows(from, to)` of them go from one member to another.
template <class T>
struct CountedExchange {
  std::uint32_t members = 1;
  std::size_t row_count = 1;
  std::uint64_t bound = 0;
  BlockLayout layout = BlockLayout::packed;
  DType dtype = DType::int64;  // of the counts
  std::function<std::int64_t(std::uint32_t from, std::uint32_t to)> rows;

  // Rows of the largest buffer that any member needs: that of all.
  [[nodiscard]] std::size_t capacity() const {
    if (layout == BlockLayout::fixed) return members * bound;
    std::int64_t most = 0;
    for (std::uint32_t m = 0; m < members; ++m) {
      std::int64_t sent = 0, received = 0;
      for (std::uint32_t other = 0; other < members; ++other) {
        sent += rows(m, other);
        received += rows(other, m);
      }
      most = std::max({most, sent, received});
    }
    return static_cast<std::size_t>(most);
  }
  // Where a member's block for or from another begins in its buffer, in elements.
  [[nodiscard]] std::size_t send_begin(std::uint32_t from, std::uint32_t to) const {
    std::size_t begin = 0;
    for (std::uint32_t m = 0; m < to; ++m) begin += stride(rows(from, m));
    return begin;
  }
  [[nodiscard]] std::size_t receive_begin(std::uint32_t to, std::uint32_t from) const {
    std::size_t begin = 0;
    for (std::uint32_t m = 0; m < from; ++m) begin += stride(rows(m, to));
    return begin;
  }
  [[nodiscard]] std::size_t block_count(std::uint32_t from, std::uint32_t to) const {
    return static_cast<std::size_t>(rows(from, to)) * row_count;
  }
  // What a member with these inputs has afterwards, where `untouched` lay before.
  [[nodiscard]] std::vector<T> received(std::uint32_t to, std::span<const std::vector<T>> inputs,
                                        T untouched) const {
    std::vector<T> all(capacity() * row_count, untouched);
    for (std::uint32_t from = 0; from < members; ++from) {
      std::copy_n(inputs[from].begin() + static_cast<std::ptrdiff_t>(send_begin(from, to)),
                  block_count(from, to),
                  all.begin() + static_cast<std::ptrdiff_t>(receive_begin(to, from)));
    }
    return all;
  }

 private:
  [[nodiscard]] std::size_t stride(std::int64_t count) const {
    return (layout == BlockLayout::fixed ? bound : static_cast<std::size_t>(count)) * row_count;
  }
};

// The counts of one member, in memory of the dtype that the exchange has.
class MemberCounts {
 public:
  template <class T>
  MemberCounts(const CountedExchange<T>& exchange, std::uint32_t member)
      : counts_{.dtype = exchange.dtype,
                .row_nbytes = exchange.row_count * sizeof(T),
                .bound = exchange.bound,
                .layout = exchange.layout} {
    for (std::uint32_t m = 0; m < exchange.members; ++m) {
      set_send(m, exchange.rows(member, m));
      set_receive(m, exchange.rows(m, member));
    }
  }
  void set_send(std::uint32_t member, std::int64_t rows) { set(sends_, member, rows); }
  void set_receive(std::uint32_t member, std::int64_t rows) { set(receives_, member, rows); }
  // Valid as long as this object.
  [[nodiscard]] BlockCounts counts() const {
    BlockCounts counts = counts_;
    counts.send = sends_;
    counts.receive = receives_;
    return counts;
  }

 private:
  void set(std::vector<std::byte>& side, std::uint32_t member, std::int64_t rows) const {
    const std::size_t size = itemsize(counts_.dtype);
    side.resize(std::max(side.size(), (member + 1) * size));
    const auto narrow = static_cast<std::int32_t>(rows);
    const auto bytes = counts_.dtype == DType::int32 ? std::as_bytes(std::span(&narrow, 1))
                                                     : std::as_bytes(std::span(&rows, 1));
    std::copy(bytes.begin(), bytes.end(),
              side.begin() + static_cast<std::ptrdiff_t>(member * size));
  }
  BlockCounts counts_;
  std::vector<std::byte> sends_, receives_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_TESTS_COMM_COUNTED_EXCHANGE_H_
