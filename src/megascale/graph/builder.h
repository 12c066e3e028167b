#ifndef MEGASCALE_GRAPH_BUILDER_H_
#define MEGASCALE_GRAPH_BUILDER_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "megascale/graph/program.h"

// Model code uses the builder to write the program of a chunk op by op. The builder knows the sizes
// of the axes and emits the transfers of the layout (none for a group of one), so a model is
// written once for every layout.
namespace megascale::graph {

// Appends ops and tensors to the forward program of one chunk. A shape that does not fit throws
// Error (bad_usage) and names the op. The program must outlive the builder. One thread at a time.
class Builder {
 public:
  Builder(Program& program, AxisSizes axes) : program_(&program), axes_(axes) {}

  // The fields of Parameter that model code chooses.
  struct ParameterOptions {
    Initializer initializer;
    std::int64_t logical_rows = 0;
    bool decay = true;
    std::vector<Sharding> shardings;
    AxisSet summed_over;
    bool tied = false;
    bool of_experts = false;
    UpdateRule rule = UpdateRule::optimizer;
  };
  // Adds a parameter. `shape` is the shape of this rank's part. Throws Error (bad_usage) if the
  // shardings do not give that shape. It is a bug to mix axes of both factorisations, or to cut a
  // dimension twice or along the same axis twice.
  TensorId parameter(std::string name, Shape shape, DType dtype, ParameterOptions options);
  // Adds a tensor that the program reads or writes in place but does not own.
  TensorId external(std::string name, Shape shape, DType dtype, Role role);

  // Adds float64 numbers about a step, whose first one has number `begin` among the records of the
  // whole model.
  TensorId record(std::string name, std::int64_t count, std::int64_t begin);

  // Adds a tensor that the host fills for every micro-batch. Its name is that of the field.
  TensorId batch_input(BatchField field, Shape shape);
  // Does the same for a field that every layer with experts has; `layer` counts those only.
  TensorId batch_input(BatchField field, Shape shape, DType dtype, std::int64_t layer);

  // Appends an op with operands that are given by name. Outputs that are left out (or kNoTensor)
  // are created. Returns the finished op; the reference is valid until the next call.
  template <class Name>
  const Op& emit(const OpKind<Name>& kind, std::string_view path,
                 std::initializer_list<Given<Name, TensorId>> operands,
                 // clang-tidy 14 does not see that it is moved if the source does not use emit().
                 // NOLINTNEXTLINE(performance-unnecessary-value-param)
                 Attributes attributes = {}) {
    return append(kind, path, in_order(kind, operands, kNoTensor), std::move(attributes));
  }
  // Does the same and returns the operand named `result`.
  template <class Name>
  TensorId emit_for(Name result, const OpKind<Name>& kind, std::string_view path,
                    std::initializer_list<Given<Name, TensorId>> operands,
                    Attributes attributes = {}) {
    return emit(kind, path, operands, std::move(attributes)).operands[result];
  }

  // all_gather() returns the rows of all ranks along the axis, in rank order, and marks its op as
  // gathered_input() does. reduce_scatter() is its dual: every rank has partial values of all rows;
  // they are added over the ranks, and each rank receives its share of the rows. For a group of one
  // both return x.
  TensorId all_gather(std::string_view path, TensorId x, Axis axis);
  TensorId reduce_scatter(std::string_view path, TensorId x, Axis axis);
  // Returns the x of the rank that is `offset` (above 0, below the size of the group) further along
  // the axis; the last rank is followed by the first.
  TensorId shift(std::string_view path, TensorId x, Axis axis, std::int64_t offset);
  // Returns the values of all ranks of the group, in rank order; unlike what all_gather() brings,
  // they are kept for the backward. For a group of one it returns x.
  TensorId gather_numbers(std::string_view path, TensorId x, AxisSet axes);
  // Cuts the rows of x into one block per rank and sends block j to rank j. Block i of the result
  // comes from rank i. For a group of one it returns x.
  TensorId all_to_all(std::string_view path, TensorId x, Axis axis);
  // Does the same with blocks of different sizes: the next send_counts[j] rows of x go to rank j,
  // and receive_counts[i] rows come from rank i. The number of rows of x must be bounded by the sum
  // of send_counts; at most `rows` rows arrive, on average
  // `mean_rows` (0: as many). Both counts are int64 tensors with one element per
  // rank. For a group of one it returns x.
  TensorId all_to_all_v(std::string_view path, TensorId x, TensorId send_counts,
                        TensorId receive_counts, std::int64_t rows, Axis axis,
                        std::int64_t mean_rows = 0);
  // Marks the last emitted op, which must write x: it brings the input of a product from other
  // ranks (Op::gathers_input). Returns x.
  TensorId gathered_input(TensorId x);
  // send() sends x[rows, columns] to the next stage of the pipeline; receive() returns the tensor
  // that the previous stage has sent.
  void send(TensorId x);
  TensorId receive(std::int64_t rows, std::int64_t columns, DType dtype);

  // Sets the scope and the region of the following ops. An op is named "scope/path".
  void set_scope(std::string scope, Region region = Region::layers) {
    scope_ = std::move(scope);
    region_ = region;
  }
  // Sets the region of the following ops until the next set_scope().
  void set_region(Region region) { region_ = region; }
  // The ops emitted after this call form the loss unit.
  void begin_loss() { phase_ = Phase::loss; }

  [[nodiscard]] const AxisSizes& axes() const noexcept { return axes_; }
  [[nodiscard]] Program& program() noexcept { return *program_; }

 private:
  const Op& append(const OpDef& def, std::string_view path, std::vector<TensorId> operands,
                   Attributes attributes);
  [[nodiscard]] Attributes group_attributes(AxisSet axes, TensorId x) const;

  Program* program_;
  AxisSizes axes_;
  std::string scope_;
  Region region_ = Region::layers;
  Phase phase_ = Phase::forward;
};

// Builds one op over `tensors`. The shape rule of its kind creates the outputs that are left out.
// `operands` are in the order of def.operands; missing ones at the end are absent. Shared by the
// builder, differentiate() and passes.
Op make_op(const OpDef& def, std::vector<TensorId> operands, Attributes attributes, OpOrigin origin,
           std::vector<Tensor>& tensors);
// Does the same with operands that are given by name.
template <class Name>
Op make_op(const OpKind<Name>& kind, std::initializer_list<Given<Name, TensorId>> operands,
           Attributes attributes, OpOrigin origin, std::vector<Tensor>& tensors) {
  return make_op(kind, in_order(kind, operands, kNoTensor), std::move(attributes),
                 std::move(origin), tensors);
}

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_BUILDER_H_
