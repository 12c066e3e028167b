// Chooses, for each product of a linear layer, between the CPU's matrix unit and oneDNN, and checks
// each run against the contract. Large products use the matrix unit if there is one; all others use
// oneDNN.
#include "megascale/kernels/cpu/gemm.h"

#include <algorithm>
#include <optional>

#include "megascale/base/error.h"
#include "megascale/kernels/cpu/gemm_config.h"
#include "megascale/kernels/cpu/matrix_unit/product.h"
#include "megascale/kernels/cpu/matrix_unit/unit.h"
#include "megascale/kernels/cpu/onednn_product.h"
#include "megascale/kernels/cpu/team.h"

namespace megascale::kernels::cpu {
namespace {

// The smallest of rows, in and out for which the matrix unit is used. Below it, packing costs more
// than the unit saves: 128 x 768 x 768 takes 0.70 to 0.95 of oneDNN's time, 64 x 768 x 768 takes
// 0.72 to 1.45 (Intel Granite Rapids, one and two cores).
constexpr std::size_t kSmallestExtent = 128;

// Returns whether `rows` rows are computed on the matrix unit. `rows` is at most config.rows, so if
// this is false for config.rows, it is false for every run.
bool on_matrix_unit(const GemmConfig& c, std::size_t rows) {
  return c.matrix_unit && std::min({rows, c.in, c.out}) >= kSmallestExtent &&
         matrix_unit_available();
}

// The implementations that a product must have ready. With fixed rows it needs one of the two. With
// run-time rows it may need both: each run then takes the same one as a product with that number of
// fixed rows, and has the same bits.
struct Ways {
  bool unit, onednn;

  explicit Ways(const GemmConfig& c)
      : unit(on_matrix_unit(c, c.rows)), onednn(!unit || c.dynamic_rows) {}
};

std::size_t scratch_of(const GemmConfig& c) {
  const Ways ways(c);
  return std::max(ways.unit ? split_scratch_bytes(shape_of(c), c.threads) : 0,
                  ways.onednn ? OnednnProduct::scratch_bytes(c) : 0);
}

}  // namespace

struct Gemm::Impl {
  ProductShape shape;
  std::optional<OnednnProduct> onednn;

  explicit Impl(const GemmConfig& c) : shape(shape_of(c)) {
    if (Ways(c).onednn) onednn.emplace(c);
  }

  void run_on_unit(const GemmConfig& c, std::size_t rows, const GemmOperands& o) const noexcept {
    ProductShape actual = shape;
    (c.kind == GemmKind::weight_gradient ? actual.k : actual.m) = rows;
    split_product(actual,
                  {.left = o.left,
                   .right = o.right,
                   .bias = o.bias,
                   .result = o.result,
                   .scratch = o.scratch,
                   .accumulate = c.accumulate},
                  c.threads);
  }
};

std::size_t gemm_scratch_bytes(const GemmConfig& config) {
  return scratch_of(with_defaults(config));
}

Gemm::Gemm(const GemmConfig& config)
    : config_(with_defaults(config)),
      scratch_bytes_(scratch_of(config_)),
      impl_(std::make_unique<Impl>(config_)) {}

Gemm::~Gemm() = default;
Gemm::Gemm(Gemm&&) noexcept = default;
Gemm& Gemm::operator=(Gemm&&) noexcept = default;

void Gemm::run(const GemmOperands& o) const noexcept {
  MEGASCALE_CHECK(team_size() == config_.threads,
                  "a gemm runs with the team size it was prepared for");
  MEGASCALE_CHECK(reinterpret_cast<std::uintptr_t>(o.scratch) % 64 == 0 &&
                      (o.scratch != nullptr || scratch_bytes_ == 0),
                  "a gemm needs scratch, aligned to 64 bytes");
  MEGASCALE_CHECK((o.bias != nullptr) == config_.bias,
                  "a gemm has a bias operand exactly where its configuration says so");
  MEGASCALE_CHECK(
      config_.dynamic_rows ? o.rows <= config_.rows : (o.rows == 0 || o.rows == config_.rows),
      "a gemm has at most the rows it was prepared for");
  const std::size_t rows = config_.dynamic_rows ? o.rows : config_.rows;
  if (on_matrix_unit(config_, rows)) {
    impl_->run_on_unit(config_, rows, o);
  } else {
    impl_->onednn->run(o);
  }
}

}  // namespace megascale::kernels::cpu
