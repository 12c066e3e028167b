#ifndef MEGASCALE_MODEL_GPT_H_
#define MEGASCALE_MODEL_GPT_H_

#include "megascale/config/config.h"
#include "megascale/graph/program.h"

// Decoder-only transformers, written once on the builder: GPT-2 style (LayerNorm, learned
// positions, GELU, biases, tied head), Llama style (RMSNorm, rotary positions, SwiGLU,
// grouped-query attention), and what lies between; MegaScale's parallel block (2402.15627,
// section 3.1) and sliding-window attention as options.
namespace megascale::model {

enum class Mode : std::uint8_t {
  train,     // forward, loss and gradients
  evaluate,  // forward and loss
  decode,    // the logits that follow the last of some new tokens, with a cache of keys and values
             // per layer
};

struct ModelShape {
  Mode mode = Mode::train;
  std::int64_t micro_batch_size = 1;  // sequences
  bool packed_documents = false;      // attention and positions restart at document borders
  graph::AxisSizes axes;              // of the job
  // Which of the pipeline's chunks (runs of consecutive layers), and how many there are: the first
  // has the embedding, the last the head; in between, activations are received and sent.
  std::int64_t chunk = 0, chunks = 1;
};

// The program of one chunk of the model on a rank: with one chunk, and axes of size 1, the whole.
// Tensor parallelism (Megatron-LM's, with sequence parallelism): column-parallel linears gather the
// rows of all ranks, row-parallel ones sum their partial products into every rank's share of the
// rows; norms, residuals and what a pipeline sends are shares. Word embedding and cross-entropy are
// split by vocabulary. Context parallelism: a rank has a consecutive share of every sequence's
// tokens, and attention exchanges them for heads (context_attention.h). A chunk has the batch
// tensors that it reads, int32 [this rank's tokens]: "tokens", "targets" (-1: not counted) and
// "positions"; with packed documents "segments" (equal within a document), of whole sequences.
// In mode decode: "counts", int64 [2] = new tokens, tokens in the cache with them; "tokens" and
// "positions" of the new tokens, at most max_position_embeddings; caches of role state, zero at
// first; result "logits" [1, padded vocabulary]. Needs a validated, resolved configuration. In mode
// train the program is differentiated.
graph::Program build_gpt(const Config& config, const ModelShape& shape);

}  // namespace megascale::model

#endif  // MEGASCALE_MODEL_GPT_H_
