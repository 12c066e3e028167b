// Copies between the rows of a tensor and the per-rank blocks of an all_to_all (Ulysses). Each row
// is cut into sections of contiguous columns: per block its query, key and value heads.
#include "megascale/kernels/cpu/head_exchange.h"

#include <algorithm>

namespace megascale::kernels::cpu {
namespace {

// A run of contiguous columns, with its first column in a row of `rows` and in a row of block
// `block`.
struct Section {
  std::size_t block = 0, in_row = 0, in_block = 0, count = 0;
  bool adds = false;  // an earlier block holds the same heads, so join adds
};

// The three sections of block j: its query, key and value heads.
struct Columns {
  explicit Columns(const HeadExchange& x)
      : ranks(x.ranks),
        groups(x.groups == 0 ? 0 : std::max<std::size_t>(x.groups / x.ranks, 1)),
        row((x.heads + x.groups) * x.head_size + x.groups * value_size_of(x)),
        block((x.heads / x.ranks + groups) * x.head_size + groups * value_size_of(x)) {}
  template <class Visit>
  void for_each(const HeadExchange& x, Visit&& visit) const {
    const std::size_t q = x.heads / ranks * x.head_size, keys = groups * x.head_size,
                      values = groups * value_size_of(x);
    const std::size_t first_key = x.heads * x.head_size,
                      first_value = first_key + x.groups * x.head_size;
    for (std::size_t j = 0; j < ranks; ++j) {
      visit(Section{j, j * q, 0, q, false});
      if (groups == 0) continue;
      const std::size_t group = j * x.groups / ranks;
      const bool adds = j > 0 && groups * ranks > x.groups && (j - 1) * x.groups / ranks == group;
      visit(Section{j, first_key + group * x.head_size, q, keys, adds});
      visit(Section{j, first_value + group * value_size_of(x), q + keys, values, adds});
    }
  }
  std::size_t ranks, groups, row, block;  // groups: of a block
};

struct Place {
  std::size_t row = 0, block = 0;  // of a run of tokens: first float in rows, and in blocks
};
// Calls visit(place, floats) for each run of S/R tokens of a sequence. Such a run is contiguous in
// rows and in blocks.
template <class Visit>
void for_each_run(const SequenceExchange& x, Visit&& visit) {
  const std::size_t run = x.length / x.ranks * x.channels;
#pragma omp parallel for collapse(2) schedule(static)
  for (std::size_t b = 0; b < x.sequences; ++b) {
    for (std::size_t j = 0; j < x.ranks; ++j) {
      visit(Place{(b * x.ranks + j) * run, (j * x.sequences + b) * run}, run);
    }
  }
}

}  // namespace

void split_heads(const HeadExchange& args) noexcept {
  const Columns columns(args);
#pragma omp parallel for schedule(static)
  for (std::size_t n = 0; n < args.tokens; ++n) {
    columns.for_each(args, [&](const Section& s) {
      std::copy_n(args.from + n * columns.row + s.in_row, s.count,
                  args.to + (s.block * args.tokens + n) * columns.block + s.in_block);
    });
  }
}

void join_heads(const HeadExchange& args) noexcept {
  const Columns columns(args);
#pragma omp parallel for schedule(static)
  for (std::size_t n = 0; n < args.tokens; ++n) {
    columns.for_each(args, [&](const Section& s) {
      const float* from = args.from + (s.block * args.tokens + n) * columns.block + s.in_block;
      float* to = args.to + n * columns.row + s.in_row;
      if (!s.adds) {
        std::copy_n(from, s.count, to);
        return;
      }
      for (std::size_t c = 0; c < s.count; ++c) to[c] += from[c];
    });
  }
}

void split_sequences(const SequenceExchange& args) noexcept {
  for_each_run(args, [&](const Place& place, std::size_t count) {
    std::copy_n(args.from + place.row, count, args.to + place.block);
  });
}

void join_sequences(const SequenceExchange& args) noexcept {
  for_each_run(args, [&](const Place& place, std::size_t count) {
    std::copy_n(args.from + place.block, count, args.to + place.row);
  });
}

}  // namespace megascale::kernels::cpu
