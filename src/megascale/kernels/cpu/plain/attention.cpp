// Attention with its scores in memory, as chains of single operations. The products of one head run
// as small single-threaded products; the team shares sequences and heads. Scaling, mask and softmax
// are passes over the scores of all heads.
#include "megascale/kernels/cpu/plain/attention.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "megascale/graph/sliding_window.h"
#include "megascale/kernels/cpu/gemm.h"
#include "megascale/kernels/cpu/plain/array.h"
#include "megascale/kernels/cpu/team.h"

namespace megascale::kernels::cpu::plain {
namespace {

constexpr std::size_t kSmallestBlock =
    64;  // rows: with fewer, starting a product dominates its cost
constexpr float kMasked = -std::numeric_limits<float>::infinity();

std::size_t this_thread() noexcept {
#ifdef _OPENMP
  return static_cast<std::size_t>(omp_get_thread_num());
#else
  return 0;
#endif
}

// The layout of one head's scores in memory: blocks of `block` rows, one per query, with `width`
// columns, one per key from first_key() on. The last block may have fewer queries.
struct Scores {
  std::size_t sequence, block, width, blocks;
  explicit Scores(const AttentionConfig& c)
      : sequence(c.max_keys),
        block(c.window == 0 ? sequence : std::min(sequence, std::max(c.window, kSmallestBlock))),
        width(c.window == 0 ? sequence : std::min(sequence, block + c.window)),
        blocks((sequence + block - 1) / block) {}
  [[nodiscard]] std::size_t rows_per_head() const noexcept { return blocks * block; }
  [[nodiscard]] std::size_t queries(std::size_t b) const noexcept {
    return std::min(block, sequence - b * block);
  }
  [[nodiscard]] std::size_t first_key(std::size_t b) const noexcept {
    const std::size_t end = b * block + queries(b);
    return end > width ? end - width : 0;
  }
};

std::size_t padded(std::size_t nbytes) noexcept { return (nbytes + 63) / 64 * 64; }

// The products of a direction. Products::run() takes their index in this list.
std::vector<GemmConfig> products_of(const AttentionConfig& c, const AttentionStrides& strides,
                                    Attention::Direction direction) {
  const Scores scores(c);
  const std::size_t size = c.head_size, value_size = value_size_of(c);
  // In all products the rows are a block of queries, and `in` is the number of features of a head.
  const auto product = [&](GemmKind kind, std::size_t in, std::size_t x_stride,
                           bool accumulate = false) {
    return GemmConfig{.kind = kind,
                      .rows = scores.block,
                      .in = in,
                      .out = scores.width,
                      .x_stride = x_stride,
                      .y_stride = scores.width,
                      .w_stride = strides.qkv,
                      .accumulate = accumulate,
                      .dynamic_rows = true,
                      .matrix_unit = false,  // heads are narrow: the unit gains little or nothing
                      .threads = 1};
  };
  std::vector<GemmConfig> all{product(GemmKind::forward, size, strides.qkv)};  // q k^T
  if (direction == Attention::Direction::forward) {
    all.push_back(product(GemmKind::input_gradient, value_size, strides.output));  // p v
    return all;
  }
  all.push_back(product(GemmKind::forward, value_size, strides.output));                // do v^T
  all.push_back(product(GemmKind::input_gradient, size, strides.qkv));                  // ds k
  all.push_back(product(GemmKind::weight_gradient, size, strides.qkv, true));           // ds^T q
  all.push_back(product(GemmKind::weight_gradient, value_size, strides.output, true));  // p^T do
  return all;
}

// The products of one thread; each runs on a team of one.
class Products {
 public:
  Products(const AttentionConfig& c, const AttentionStrides& strides,
           Attention::Direction direction) {
    for (const GemmConfig& config : products_of(c, strides, direction)) gemms_.emplace_back(config);
  }
  void run(std::size_t number, const float* left, const float* right, float* result,
           std::byte* scratch, std::size_t rows) const noexcept {
    const TeamSize alone(1);
    gemms_[number].run(
        {.left = left, .right = right, .result = result, .scratch = scratch, .rows = rows});
  }
  [[nodiscard]] static std::size_t scratch_bytes(const AttentionConfig& c,
                                                 const AttentionStrides& strides,
                                                 Attention::Direction direction) {
    std::size_t most = 0;
    for (const GemmConfig& config : products_of(c, strides, direction))
      most = std::max(most, gemm_scratch_bytes(config));
    return padded(most);
  }

 private:
  std::vector<Gemm> gemms_;
};

}  // namespace

struct Attention::Impl {
  AttentionConfig config;
  AttentionStrides strides;
  Scores scores;
  float scale;
  std::size_t product_scratch;
  std::vector<Products> products;  // by thread

  Impl(const AttentionConfig& c, const AttentionStrides& s, Direction direction)
      : config(c),
        strides(s),
        scores(c),
        scale(1.0F / std::sqrt(static_cast<float>(c.head_size))),
        product_scratch(Products::scratch_bytes(c, s, direction)) {
    for (std::size_t t = 0; t < c.threads; ++t) products.emplace_back(c, s, direction);
  }

  // The arrays of a run in scratch: one row per query of every block of every head.
  struct Memory {
    float* probabilities;
    float* gradient;    // backward only
    float* row_values;  // one float per row
    std::byte* products;
  };
  [[nodiscard]] std::size_t rows() const noexcept {
    return config.batch * config.query_heads * scores.rows_per_head();
  }
  [[nodiscard]] Shape shape() const noexcept { return {rows(), scores.width}; }
  [[nodiscard]] Result array(float* data) const noexcept { return {data, scores.width}; }
  [[nodiscard]] Memory memory(std::byte* scratch, Direction direction) const noexcept {
    const std::size_t array_nbytes = padded(rows() * scores.width * sizeof(float));
    const std::size_t arrays = direction == Direction::backward ? 2 : 1;
    std::byte* const behind = scratch + arrays * array_nbytes;
    return {.probabilities = reinterpret_cast<float*>(scratch),
            .gradient = reinterpret_cast<float*>(scratch + (arrays - 1) * array_nbytes),
            .row_values = reinterpret_cast<float*>(behind),
            .products = behind + padded(rows() * sizeof(float))};
  }

  // A block of queries of one head, and the positions of its operands: first query, first key, and
  // first row of the scores.
  struct Block {
    std::size_t batch, head, kv_head, first, queries, key, row;
    const Products* products;
    std::byte* scratch;
    template <class T>
    [[nodiscard]] T* query(const TokenRows<T>& x, std::size_t size) const noexcept {
      return x.data + batch * x.batch_stride + first * x.row_stride + head * size;
    }
    template <class T>
    [[nodiscard]] T* keys(const TokenRows<T>& x, std::size_t size) const noexcept {
      return x.data + batch * x.batch_stride + key * x.row_stride + kv_head * size;
    }
  };
  // Calls body(block) for all blocks. The blocks of one sequence and key-value head run in order on
  // one thread, since they add to the same gradients of keys and values.
  template <class Body>
  void for_each_block(std::byte* scratch, const Body& body) const noexcept {
    const std::size_t units = config.batch * config.kv_heads;
    const std::size_t group = config.query_heads / config.kv_heads;
    [[maybe_unused]] const int threads = static_cast<int>(std::min(products.size(), units));
#pragma omp parallel for num_threads(threads) schedule(static, 1) default(none) \
    shared(units, group, scratch, body)
    for (std::size_t u = 0; u < units; ++u) {
      const std::size_t thread = this_thread();
      for (std::size_t h = 0; h < group; ++h) {
        for (std::size_t b = 0; b < scores.blocks; ++b) {
          const std::size_t batch = u / config.kv_heads, kv_head = u % config.kv_heads;
          const std::size_t head = kv_head * group + h;
          body(Block{.batch = batch,
                     .head = head,
                     .kv_head = kv_head,
                     .first = b * scores.block,
                     .queries = scores.queries(b),
                     .key = scores.first_key(b),
                     .row = (batch * config.query_heads + head) * scores.rows_per_head() +
                            b * scores.block,
                     .products = &products[thread],
                     .scratch = scratch + thread * product_scratch});
        }
      }
    }
  }

  // Sets scores that the query does not see to minus infinity, and rows without a query to 0.
  void mask(float* data, const AttentionInputs& in) const noexcept {
    parallel_ranges(rows(), 1, scores.width * sizeof(float), [&](std::size_t from, std::size_t to) {
      for (std::size_t n = from; n < to; ++n) {
        const std::size_t in_head = n % scores.rows_per_head();
        const std::size_t batch = n / scores.rows_per_head() / config.query_heads;
        float* const row = data + n * scores.width;
        if (in_head >= scores.sequence) {
          std::fill_n(row, scores.width, 0.0F);
        } else {
          const std::int32_t* const segments =
              in.segments == nullptr ? nullptr : in.segments + batch * in.segment_batch_stride;
          mask_row(row, in_head, segments);
        }
      }
    });
  }
  void mask_row(float* row, std::size_t query, const std::int32_t* segments) const noexcept {
    const std::size_t key = scores.first_key(query / scores.block);
    const std::size_t oldest = graph::first_visible_key(query, config.window);
    const std::size_t begin = std::max(oldest, key) - key, end = query + 1 - key;
    std::fill(row, row + begin, kMasked);
    std::fill(row + end, row + scores.width, kMasked);
    if (segments == nullptr) return;
    for (std::size_t c = begin; c < end; ++c) {
      if (segments[key + c] != segments[query]) row[c] = kMasked;
    }
  }

  void scaled_scores(const AttentionInputs& in, const Memory& m) const noexcept {
    for_each_block(m.products, [&](const Block& b) {
      b.products->run(0, b.query(in.q, config.head_size), b.keys(in.k, config.head_size),
                      m.probabilities + b.row * scores.width, b.scratch, b.queries);
    });
    apply(Binary::multiply, shape(), array(m.probabilities).values(), constant(scale),
          array(m.probabilities));
    mask(m.probabilities, in);
  }

  // Calls copy(padded, packed) for each head: the offsets of its first row in arrays with one value
  // per row of the scores (blocks are padded), and in lse (packed).
  template <class Copy>
  void for_each_head(const Copy& copy) const noexcept {
    for (std::size_t head = 0; head < config.batch * config.query_heads; ++head)
      copy(head * scores.rows_per_head(), head * scores.sequence);
  }

  // Clears the gradients of keys or of values, whose heads have `size` channels.
  void zero(const TokenRows<float>& x, std::size_t size) const noexcept {
    for (std::size_t b = 0; b < config.batch; ++b) {
      for (std::size_t n = 0; n < scores.sequence; ++n) {
        std::fill_n(x.data + b * x.batch_stride + n * x.row_stride, config.kv_heads * size, 0.0F);
      }
    }
  }
};

Attention::Attention(const AttentionConfig& config, const AttentionStrides& strides,
                     Direction direction)
    : impl_(std::make_unique<Impl>(config, strides, direction)) {}
Attention::~Attention() = default;
Attention::Attention(Attention&&) noexcept = default;
Attention& Attention::operator=(Attention&&) noexcept = default;

std::size_t Attention::scratch_bytes(const AttentionConfig& config, const AttentionStrides& strides,
                                     Direction direction) {
  const Scores scores(config);
  const std::size_t rows = config.batch * config.query_heads * scores.rows_per_head();
  return (direction == Direction::backward ? 2 : 1) * padded(rows * scores.width * sizeof(float)) +
         padded(rows * sizeof(float)) +
         config.threads * Products::scratch_bytes(config, strides, direction);
}

void Attention::forward(const AttentionForward& run) const noexcept {
  const Impl& a = *impl_;
  const std::size_t value_size = value_size_of(a.config);
  const Impl::Memory m = a.memory(run.scratch, Direction::forward);
  a.scaled_scores(run.in, m);
  softmax(a.shape(), a.array(m.probabilities), m.row_values);
  a.for_each_head([&](std::size_t row, std::size_t query) {
    std::copy_n(m.row_values + row, a.scores.sequence, run.lse + query);
  });
  a.for_each_block(m.products, [&](const Impl::Block& b) {
    b.products->run(1, m.probabilities + b.row * a.scores.width, b.keys(run.in.v, value_size),
                    b.query(run.o, value_size), b.scratch, b.queries);
  });
}

void Attention::backward(const AttentionBackward& run) const noexcept {
  const Impl& a = *impl_;
  const std::size_t size = a.config.head_size, value_size = value_size_of(a.config),
                    width = a.scores.width;
  const Impl::Memory m = a.memory(run.scratch, Direction::backward);
  const Result p = a.array(m.probabilities), ds = a.array(m.gradient);
  a.scaled_scores(run.in, m);
  std::fill_n(m.row_values, a.rows(), 0.0F);
  a.for_each_head([&](std::size_t row, std::size_t query) {
    std::copy_n(run.lse + query, a.scores.sequence, m.row_values + row);
  });
  apply(Binary::subtract, a.shape(), p.values(), per_row(m.row_values), p);
  apply(Unary::exp, a.shape(), p.values(), p);

  a.zero(run.dk, size);
  a.zero(run.dv, value_size);
  a.for_each_block(m.products, [&](const Impl::Block& b) {
    b.products->run(4, p.data + b.row * width, b.query(run.grad_o, value_size),
                    b.keys(run.dv, value_size), b.scratch, b.queries);
    b.products->run(1, b.query(run.grad_o, value_size), b.keys(run.in.v, value_size),
                    ds.data + b.row * width, b.scratch, b.queries);
  });
  softmax_gradient(a.shape(), p.values(), ds);
  apply(Binary::multiply, a.shape(), ds.values(), constant(a.scale), ds);
  a.for_each_block(m.products, [&](const Impl::Block& b) {
    b.products->run(2, ds.data + b.row * width, b.keys(run.in.k, size), b.query(run.dq, size),
                    b.scratch, b.queries);
    b.products->run(3, ds.data + b.row * width, b.query(run.in.q, size), b.keys(run.dk, size),
                    b.scratch, b.queries);
  });
}

}  // namespace megascale::kernels::cpu::plain
