#ifndef MEGASCALE_GRAPH_BUILDER_H_
#define MEGASCALE_GRAPH_BUILDER_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "megascale/graph/program.h"

namespace megascale::graph {

// Writes the forward program of a chunk. Knows the sizes of the axes, so that model code is written
// once for every layout. Errors: a shape that does not fit throws Error (bad_usage) naming the op.
class Builder {
 public:
  Builder(Program& program, AxisSizes axes) : program_(&program), axes_(axes) {}

  struct ParameterOptions {
    Initializer initializer;
    std::int64_t logical_rows = 0;
    bool decay = true;
    std::vector<Sharding> shardings;
    AxisSet summed_over;
    bool tied = false;
  };
  // `shape`: of this rank's part. A sharding that does not give that shape is an Error; axes of two
  // factorisations, or a dimension or an axis that is cut twice, are a bug.
  TensorId parameter(std::string name, Shape shape, DType dtype, ParameterOptions options);
  // A tensor that the program reads or writes in place and that something else owns.
  TensorId external(std::string name, Shape shape, DType dtype, Role role);

  // A tensor that the host fills for every micro-batch, named after its field.
  TensorId batch_input(BatchField field, Shape shape);

  // Appends an op with the operands that are given by name; outputs that are left out (or
  // kNoTensor) are created. Returns the finished op, valid until the next call.
  template <class Name>
  const Op& emit(const OpKind<Name>& kind, std::string_view path,
                 std::initializer_list<Given<Name, TensorId>> operands,
                 Attributes attributes = {}) {
    return append(kind, path, in_order(kind, operands, kNoTensor), std::move(attributes));
  }
  // The same; returns the operand named `result`.
  template <class Name>
  TensorId emit_for(Name result, const OpKind<Name>& kind, std::string_view path,
                    std::initializer_list<Given<Name, TensorId>> operands,
                    Attributes attributes = {}) {
    return emit(kind, path, operands, std::move(attributes)).operands[result];
  }

  // The rows of all ranks along the axis, in their order; and its dual, the sum over those ranks of
  // rows that every rank has partial values of, this one's share. A group of one: x itself.
  TensorId all_gather(std::string_view path, TensorId x, Axis axis);
  TensorId reduce_scatter(std::string_view path, TensorId x, Axis axis);
  // Block j of x's rows (the j-th of as many equal blocks as there are ranks) goes to rank j; block
  // i of the result came from rank i. A group of one: x itself.
  TensorId all_to_all(std::string_view path, TensorId x, Axis axis);
  // The first send_counts[j] rows of those left go to rank j, and so on; receive_counts[i] rows
  // come from rank i. x has its rows counted by all of send_counts; at most `rows` arrive. Both
  // counts are int64, one per rank of the axis; for a group of one: x itself.
  TensorId all_to_all_v(std::string_view path, TensorId x, TensorId send_counts,
                        TensorId receive_counts, std::int64_t rows, Axis axis);
  // Says that the op emitted last, which writes x, carries the input of a product from other ranks
  // (Op::gathers_input). Returns x.
  TensorId gathered_input(TensorId x);
  // What the next stage of the pipeline receives; and what the one before has sent.
  void send(TensorId x);
  TensorId receive(std::int64_t rows, std::int64_t columns, DType dtype);

  // Names of ops are "scope/path"; ops emitted after begin_loss() form the loss unit.
  void set_scope(std::string scope, Region region = Region::layers) {
    scope_ = std::move(scope);
    region_ = region;
  }
  // The region of the ops from here on, until the next set_scope().
  void set_region(Region region) { region_ = region; }
  void begin_loss() { phase_ = Phase::loss; }

  [[nodiscard]] const AxisSizes& axes() const noexcept { return axes_; }
  [[nodiscard]] Program& program() noexcept { return *program_; }

 private:
  const Op& append(const OpDef& def, std::string_view path, std::vector<TensorId> operands,
                   Attributes attributes);
  [[nodiscard]] Attributes group_attributes(Axis axis, TensorId x) const;

  Program* program_;
  AxisSizes axes_;
  std::string scope_;
  Region region_ = Region::layers;
  Phase phase_ = Phase::forward;
};

// Builds one op over `tensors`: applies the shape rule, which creates the outputs that are left
// out. `operands` in the order of def.operands; those missing at the end are absent. Shared by
// builder, differentiate, passes.
Op make_op(const OpDef& def, std::vector<TensorId> operands, Attributes attributes, OpOrigin origin,
           std::vector<Tensor>& tensors);
// The same of operands given by name.
template <class Name>
Op make_op(const OpKind<Name>& kind, std::initializer_list<Given<Name, TensorId>> operands,
           Attributes attributes, OpOrigin origin, std::vector<Tensor>& tensors) {
  return make_op(kind, in_order(kind, operands, kNoTensor), std::move(attributes),
                 std::move(origin), tensors);
}

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_BUILDER_H_
