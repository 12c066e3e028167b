// Appends ops to a program. Each op is built by make_op(), which applies the shape rule of the kind
// and creates the outputs. Shardings of parameters are checked here, since an uneven cut is an
// error of the configuration that a user must understand.
#include "megascale/graph/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/error.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {

Parameter* Program::find_parameter(TensorId tensor_id) {
  const auto found = std::lower_bound(
      parameters.begin(), parameters.end(), tensor_id,
      [](const Parameter& parameter, TensorId id) { return parameter.tensor < id; });
  return found == parameters.end() || found->tensor != tensor_id ? nullptr : &*found;
}

namespace {

void check_shardings(std::string_view name, const Shape& shape, const AxisSizes& axes,
                     const Builder::ParameterOptions& options) {
  AxisSet used = options.summed_over;
  std::vector<bool> is_cut(shape.size(), false);
  for (const Sharding& sharding : options.shardings) {
    MEGASCALE_CHECK(!used.meets(sharding.over), fmt::format("{}: one of the axes {} is used twice",
                                                            name, to_string(sharding.over)));
    MEGASCALE_CHECK(
        sharding.dimension < shape.size() && !is_cut[sharding.dimension],
        fmt::format("{}: dimension {} is absent or cut twice", name, sharding.dimension));
    used = used | sharding.over;
    is_cut[sharding.dimension] = true;
    const std::int64_t ranks = sharding.over.group_size(axes);
    std::int64_t part = 0;
    for (const std::int64_t section : sharding.sections) {
      if (section % ranks != 0) {
        throw Error(
            ErrorCode::bad_usage,
            fmt::format("parameter {}: expected a multiple of the {} ranks along {} in "
                        "dimension {}, found {}",
                        name, ranks, to_string(sharding.over), sharding.dimension, section));
      }
      part += section / ranks;
    }
    if (part != shape[sharding.dimension].size) {
      throw Error(ErrorCode::bad_usage,
                  fmt::format("parameter {}: expected a part of {} in dimension {}, found {}", name,
                              part, sharding.dimension, shape[sharding.dimension].size));
    }
  }
  MEGASCALE_CHECK(!used.is_mixed(), fmt::format("{} is spread over {}: axes of both factorisations",
                                                name, to_string(used)));
}

}  // namespace

TensorId Builder::parameter(std::string name, Shape shape, DType dtype, ParameterOptions options) {
  check_shardings(name, shape, axes_, options);
  const TensorId id = external(name, std::move(shape), dtype, Role::parameter);
  program_->parameters.push_back(Parameter{.name = std::move(name),
                                           .tensor = id,
                                           .initializer = options.initializer,
                                           .logical_rows = options.logical_rows,
                                           .decay = options.decay,
                                           .shardings = std::move(options.shardings),
                                           .summed_over = options.summed_over,
                                           .tied = options.tied,
                                           .of_experts = options.of_experts,
                                           .rule = options.rule,
                                           .main_gradients = {}});
  return id;
}

TensorId Builder::external(std::string name, Shape shape, DType dtype, Role role) {
  const TensorId id{static_cast<std::uint32_t>(program_->tensors.size())};
  program_->tensors.push_back(
      Tensor{.name = std::move(name), .shape = std::move(shape), .dtype = dtype, .role = role});
  return id;
}

TensorId Builder::record(std::string name, std::int64_t count, std::int64_t begin) {
  const TensorId id = external(std::move(name), {Dim(count)}, DType::float64, Role::record);
  program_->tensors[index(id)].number = begin;
  return id;
}

TensorId Builder::batch_input(BatchField field, Shape shape) {
  const bool is_wide =
      field == BatchField::counts || field == BatchField::samples || field == BatchField::counted;
  const DType dtype = field == BatchField::reference_scores ? DType::float64
                      : is_wide                             ? DType::int64
                                                            : DType::int32;
  const TensorId id = external(std::string(to_string(field)), std::move(shape), dtype, Role::batch);
  program_->tensors[index(id)].field = field;
  return id;
}

TensorId Builder::batch_input(BatchField field, Shape shape, DType dtype, std::int64_t layer) {
  const TensorId id =
      external(fmt::format("{}.{}", to_string(field), layer), std::move(shape), dtype, Role::batch);
  program_->tensors[index(id)].field = field;
  program_->tensors[index(id)].number = layer;
  return id;
}

const Op& Builder::append(const OpDef& def, std::string_view path, std::vector<TensorId> operands,
                          Attributes attributes) {
  program_->forward.push_back(
      make_op(def, std::move(operands), std::move(attributes),
              {.scope = scope_, .path = std::string(path), .phase = phase_, .region = region_},
              program_->tensors));
  return program_->forward.back();
}

TensorId Builder::all_gather(std::string_view path, TensorId x, Axis axis) {
  if (axes_[axis] == 1) return x;
  return gathered_input(emit_for(collective::receive, all_gather_op(), path,
                                 {{collective::send, x}}, group_attributes({axis}, x)));
}

TensorId Builder::gathered_input(TensorId x) {
  Op& last = program_->forward.back();
  MEGASCALE_CHECK(std::find(last.operands.begin(), last.operands.end(), x) != last.operands.end(),
                  "the op that was emitted last writes the gathered input");
  last.gathers_input = true;
  return x;
}

TensorId Builder::reduce_scatter(std::string_view path, TensorId x, Axis axis) {
  if (axes_[axis] == 1) return x;
  return emit_for(collective::receive, reduce_scatter_op(), path, {{collective::send, x}},
                  group_attributes({axis}, x));
}

TensorId Builder::shift(std::string_view path, TensorId x, Axis axis, std::int64_t offset) {
  Attributes attributes = group_attributes({axis}, x);
  attributes.set(attribute::offset, offset);
  return emit_for(collective::receive, shift_op(), path, {{collective::send, x}},
                  std::move(attributes));
}

TensorId Builder::all_to_all(std::string_view path, TensorId x, Axis axis) {
  if (axes_[axis] == 1) return x;
  return emit_for(collective::receive, all_to_all_op(), path, {{collective::send, x}},
                  group_attributes({axis}, x));
}

TensorId Builder::all_to_all_v(std::string_view path, TensorId x, TensorId send_counts,
                               TensorId receive_counts, std::int64_t rows, Axis axis,
                               std::int64_t mean_rows) {
  if (axes_[axis] == 1) return x;
  const Tensor& tensor = program_->tensor(x);
  Attributes attributes = group_attributes({axis}, x);
  attributes.set(attribute::rows, rows);
  attributes.set(attribute::mean_rows, mean_rows);
  attributes.set(attribute::row_nbytes, tensor.nbytes() / tensor.shape[0].size);
  return emit_for(all_to_all_v::receive, all_to_all_v_op(), path,
                  {{all_to_all_v::send, x},
                   {all_to_all_v::send_counts, send_counts},
                   {all_to_all_v::receive_counts, receive_counts}},
                  std::move(attributes));
}

TensorId Builder::gather_numbers(std::string_view path, TensorId x, AxisSet axes) {
  const AxisSet group = existing(axes_, axes);
  if (group.empty()) return x;
  return emit_for(collective::receive, all_gather_op(), path, {{collective::send, x}},
                  group_attributes(group, x));
}

Attributes Builder::group_attributes(AxisSet axes, TensorId x) const {
  return {{attribute::axes, std::int64_t{axes.bits()}},
          {attribute::ranks, std::int64_t{axes.group_size(axes_)}},
          {attribute::dtype, static_cast<std::int64_t>(program_->tensor(x).dtype)}};
}

void Builder::send(TensorId x) {
  const Tensor& tensor = program_->tensor(x);
  emit(send_op(), "send", {{send::send, x}},
       {{attribute::rows, tensor.shape[0].size},
        {attribute::columns, tensor.shape[1].size},
        {attribute::dtype, static_cast<std::int64_t>(tensor.dtype)}});
}

TensorId Builder::receive(std::int64_t rows, std::int64_t columns, DType dtype) {
  return emit_for(recv::receive, recv_op(), "receive", {},
                  {{attribute::rows, rows},
                   {attribute::columns, columns},
                   {attribute::dtype, static_cast<std::int64_t>(dtype)}});
}

Op make_op(const OpDef& def, std::vector<TensorId> operands, Attributes attributes, OpOrigin origin,
           std::vector<Tensor>& tensors) {
  MEGASCALE_CHECK(operands.size() <= def.operands.size(), def.name);
  operands.resize(def.operands.size(), kNoTensor);
  Op op{std::move(origin), &def, std::move(operands), std::move(attributes)};
  ShapeContext context(op, tensors);
  def.infer(context);
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    MEGASCALE_CHECK(def.operands[i].optional || op.operands[i] != kNoTensor, def.operands[i].name);
  }
  return op;
}

}  // namespace megascale::graph
