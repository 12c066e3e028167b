#ifndef MEGASCALE_MODEL_GPT_H_
#define MEGASCALE_MODEL_GPT_H_

#include <cstdint>
#include <vector>

#include "megascale/config/config.h"
#include "megascale/graph/program.h"

// Programs of decoder-only transformers, written once on the builder. The configuration selects the
// style: GPT-2 (LayerNorm, learned positions, GELU, biases, tied head), Llama (RMSNorm, rotary
// positions, SwiGLU, grouped-query attention), or a mixture. Options are the parallel block of
// MegaScale (arXiv 2402.15627, section 3.1) and sliding-window attention.
namespace megascale::model {

// The use of a program: training, evaluation or decoding.
enum class Mode : std::uint8_t {
  train,  // forward, loss and gradients
  // Forward and loss. Of a training on preferences the result is the scores of this rank's part of each sequence,
  // [sequences] of role loss, instead of a sum and a number.
  evaluate,
  // The logits that follow the last of some new tokens of several sequences. Keys and values of each
  // layer are cached, or with latent attention what they are products of.
  decode,
};

// The sizes of a program of mode decode. A step takes new tokens of several sequences.
struct DecodeShape {
  std::int64_t sequences = 1;  // each has a cache of max_position_embeddings tokens
  std::int64_t tokens = 512;   // of all sequences in a step, at most
  std::int64_t last_rows = 1;  // rows with logits in a step, at most
};

struct ModelShape {
  Mode mode = Mode::train;
  std::int64_t micro_batch_size = 1;  // sequences
  // Attention and positions restart at document borders.
  bool packed_documents = false;
  graph::AxisSizes axes;  // axis sizes of the job
  // Index of the pipeline chunk (a run of consecutive layers), and number of chunks. The first
  // chunk has the embedding, the last one the head. Between chunks, activations are sent and
  // received.
  std::int64_t chunk = 0, chunks = 1;
  // Number of layers of each chunk; empty: equal numbers.
  std::vector<std::int64_t> layers = {};
  DecodeShape decode = {};  // of mode decode
};

// Returns the program of one chunk of the model on a rank. With one chunk and axes of size 1 it is
// the whole model. `config` must be validated and resolved. In mode train the program is already
// differentiated. Pure; any thread may call it.
//
// Tensor parallelism follows Megatron-LM with sequence parallelism. Column-parallel linears gather
// the rows of all ranks first; row-parallel linears sum their partial products into each rank's
// share of the rows. Norms, residuals and the activations between chunks hold only this share. Word
// embedding and cross-entropy are split by vocabulary.
//
// Context parallelism: a rank has a consecutive share of the tokens of every sequence. Attention
// exchanges these tokens for heads (context_attention.h).
//
// A program has those batch tensors (graph::BatchField) that the chunk reads. They are int32
// [tokens of this rank], unless stated otherwise:
//   tokens
//   targets       -1: the token is not counted in the loss
//   positions
//   segments      only with packed documents: equal within a document; of whole sequences
//   reference_scores  float64 [sequences]; only in a training on preferences
// In mode decode there are instead:
//   counts        int64 [2 + 3 sequences], as graph/ops/decode.cpp says
//   tokens        the new tokens, those of sequence 0 first
//   positions     of the new tokens, from 0 in each sequence
// and, besides, caches of role state, which must be 0 at first. The result is the tensor "logits"
// [last_rows, padded vocabulary] of role output: a row for each last row, in their order.
graph::Program build_gpt(const Config& config, const ModelShape& shape);

}  // namespace megascale::model

#endif  // MEGASCALE_MODEL_GPT_H_
