#ifndef MEGASCALE_GRAPH_OPS_FLOAT8_PARAMETER_OPS_H_
#define MEGASCALE_GRAPH_OPS_FLOAT8_PARAMETER_OPS_H_

#include "megascale/graph/op.h"

// The op kinds of parameters that are kept in 8 bits (E4M3) with float32 scales, and whose masters are
// float32 (MegaScale-MoE, arXiv 2505.11432, section 7.3). The first two work on flat buffers: their
// segments are those of the whole buffer, and the attributes shard_axes and shards say which part of
// it `masters` and `codes` are. scale_runs.h says which elements share a scale.
namespace megascale::graph {

// masters of this rank's shard -> amax (float32): the largest magnitude of each run of the shard, in the
// order of scale_runs(); zeros behind them. NaN is larger than infinity.
namespace float8_amax {
enum Operand : std::size_t { masters, amax };
}
const OpKind<float8_amax::Operand>& float8_amax_op();

// masters of this rank's shard, amax of all shards, one behind the other -> codes of the shard, scales of
// the whole bucket (float32: what a code is multiplied by). Elements between parameters become zero.
// If a value of a scale is not finite, all its codes are NaN.
namespace quantise_float8 {
enum Operand : std::size_t { masters, amax, codes, scales };
}
const OpKind<quantise_float8::Operand>& quantise_float8_op();

// codes[N,C] or codes[n,N,C], scales[S] -> the values in float32. Each scale belongs to as many
// consecutive rows as every other one.
namespace dequantise_float8 {
enum Operand : std::size_t { codes, scales, output };
}
const OpKind<dequantise_float8::Operand>& dequantise_float8_op();

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_OPS_FLOAT8_PARAMETER_OPS_H_
