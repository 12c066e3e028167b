#ifndef MEGASCALE_GRAPH_OPS_STEP_OPS_H_
#define MEGASCALE_GRAPH_OPS_STEP_OPS_H_

#include "megascale/graph/op.h"

// The op kinds of the step itself, over flat buffers; their form is explained in ops.h.
namespace megascale::graph {

// Copies the loaded batch: staging -> batch, with the numbers of the step.
namespace host_copy {
enum Operand : std::size_t { staging, batch };
}
const OpKind<host_copy::Operand>& host_copy_op();

// -> staging: the host loads a batch; carried if the batch is that of the next step
namespace load_batch {
enum Operand : std::size_t { staging };
}
const OpKind<load_batch::Operand>& load_batch_op();

// flat main gradients -> blocks: float64 sums of squares, one per 4,096 elements
namespace gradient_blocks {
enum Operand : std::size_t { gradients, blocks };
}
const OpKind<gradient_blocks::Operand>& gradient_blocks_op();

// blocks of flat buffers, (numbers of the step) -> sums by parameter, (stop: this rank's votes)
namespace parameter_norms {
enum Operand : std::size_t { blocks, sums, numbers, stop };
}
const OpKind<parameter_norms::Operand>& parameter_norms_op();

// sums by parameter, losses, numbers of the step, update state (read and written) -> update scalars
namespace gradient_norm {
enum Operand : std::size_t { sums, losses, numbers, state, scalars };
}
const OpKind<gradient_norm::Operand>& gradient_norm_op();

// values = 0 between the tensors of a flat buffer. The op's segments say where those lie.
namespace clear_padding {
enum Operand : std::size_t { values };
}
const OpKind<clear_padding::Operand>& clear_padding_op();

// Rounds float32 values to bfloat16 and packs them, in place, into the first half of their bytes.
namespace pack_bfloat16 {
enum Operand : std::size_t { values };
}
const OpKind<pack_bfloat16::Operand>& pack_bfloat16_op();

// Packs shares of float32 values to the begin of `values`, one behind the other, as float32 or rounded
// to bfloat16. The values are `blocks` equal blocks. `share` is the share of the first one; those of the
// others lie as far from the begin of their block. A share has at most half of a block.
namespace pack_shares {
enum Operand : std::size_t { values, share };
}
const OpKind<pack_shares::Operand>& pack_shares_op();

// sum (float32) = the blocks (bfloat16, as many as fit), added in their order
namespace add_bfloat16_blocks {
enum Operand : std::size_t { blocks, sum };
}
const OpKind<add_bfloat16_blocks::Operand>& add_bfloat16_blocks_op();

// sum += addend, over a flat range
namespace add_main_gradient {
enum Operand : std::size_t { sum, addend };
}
const OpKind<add_main_gradient::Operand>& add_main_gradient_op();

// own: the records of this rank (role record), one tensor after the other -> sums: those of the whole
// model, 0 where this rank has none. The op's segments say where each tensor lies in `sums`.
namespace collect_records {
enum Operand : std::size_t { own, sums };
}
const OpKind<collect_records::Operand>& collect_records_op();

// Updates a flat range of parameters, first and second moments from main gradients and update
// scalars. Writes the parameters of the model as well, if their dtype is not float32.
namespace adamw {
enum Operand : std::size_t {
  parameters,
  gradients,
  first_moment,
  second_moment,
  scalars,
  model_parameters
};
}
const OpKind<adamw::Operand>& adamw_op();

// LAMB, first half: writes the direction over the main gradients, and the sums of squares of
// weights and directions per block.
namespace lamb_direction {
enum Operand : std::size_t {
  parameters,
  gradients,
  first_moment,
  second_moment,
  scalars,
  weight_blocks,
  direction_blocks
};
}
const OpKind<lamb_direction::Operand>& lamb_direction_op();

// LAMB, second half: weight -= learning rate x trust ratio x direction.
namespace lamb_apply {
enum Operand : std::size_t {
  parameters,
  direction,
  scalars,
  weight_sums,
  direction_sums,
  model_parameters
};
}
const OpKind<lamb_apply::Operand>& lamb_apply_op();

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_OPS_STEP_OPS_H_
