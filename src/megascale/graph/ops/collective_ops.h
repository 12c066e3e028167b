#ifndef MEGASCALE_GRAPH_OPS_COLLECTIVE_OPS_H_
#define MEGASCALE_GRAPH_OPS_COLLECTIVE_OPS_H_

#include "megascale/graph/op.h"

// The op kinds of communication, and those that move rows around an exchange; letters and form are
// explained in ops.h.
namespace megascale::graph {

// all_gather, reduce_scatter, all_to_all and shift: the sent and the received bytes.
namespace collective {
enum Operand : std::size_t { send, receive };
}
// all_reduce and broadcast: one buffer for both.
namespace in_place_collective {
enum Operand : std::size_t { buffer };
}
// Rows of all ranks, in rank order.
const OpKind<collective::Operand>& all_gather_op();

// Sum over the ranks; each rank receives its block of the sum.
const OpKind<collective::Operand>& reduce_scatter_op();

// Sum over the ranks, on every rank.
const OpKind<in_place_collective::Operand>& all_reduce_op();

// Block j goes to rank j; block i came from rank i.
const OpKind<collective::Operand>& all_to_all_op();

// send[<=N,C], send_counts[ranks], receive_counts[ranks] -> receive[<=M,C]: send_counts[j] rows go
// to rank j and receive_counts[i] rows come from rank i. Attributes: rows (M), row_nbytes.
namespace all_to_all_v {
enum Operand : std::size_t { send, send_counts, receive_counts, receive };
}
const OpKind<all_to_all_v::Operand>& all_to_all_v_op();

// Each rank receives from the rank that is `offset` further in the group.
const OpKind<collective::Operand>& shift_op();

// blocks[ranks x N,C] -> y[N,C]: the sum of the blocks in rank order
namespace sum_blocks {
enum Operand : std::size_t { blocks, output };
}
const OpKind<sum_blocks::Operand>& sum_blocks_op();

// The buffer of rank `root`, on every rank.
const OpKind<in_place_collective::Operand>& broadcast_op();

// The ops around the all_to_all of context parallelism (Ulysses).
// rows[N,(heads + groups) size + groups value_size] -> blocks[ranks x N, columns of the heads of one
// rank]
namespace split_heads {
enum Operand : std::size_t { rows, blocks };
}
const OpKind<split_heads::Operand>& split_heads_op();

// The inverse of split_heads. Key-value heads that several blocks share are added in rank order.
namespace join_heads {
enum Operand : std::size_t { blocks, rows };
}
const OpKind<join_heads::Operand>& join_heads_op();

// rows[B x S, W] -> blocks[ranks x B x S/ranks, W]: block j holds the tokens of rank j of every
// sequence
namespace split_sequences {
enum Operand : std::size_t { rows, blocks };
}
const OpKind<split_sequences::Operand>& split_sequences_op();

// The inverse of split_sequences.
namespace join_sequences {
enum Operand : std::size_t { blocks, rows };
}
const OpKind<join_sequences::Operand>& join_sequences_op();

// send and recv: to and from a neighbouring stage of the pipeline. Attributes: rows, columns,
// dtype, backward.
namespace send {
enum Operand : std::size_t { send };
}
const OpKind<send::Operand>& send_op();

namespace recv {
enum Operand : std::size_t { receive };
}
const OpKind<recv::Operand>& recv_op();

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_OPS_COLLECTIVE_OPS_H_
