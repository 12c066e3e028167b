#ifndef MEGASCALE_CUDA_GRAPH_H_
#define MEGASCALE_CUDA_GRAPH_H_

#include <functional>

#include "megascale/base/error.h"

struct CUstream_st;
struct CUgraphExec_st;

namespace megascale::cuda {

// Work of a stream that is kept and can be given again, as often as wanted, by one call: a CUDA
// graph. It holds addresses and arguments as they were when it was made.
class Graph {
 public:
  // Keeps what `give` gives to the stream; none of it is done. Meanwhile the calling thread gives
  // nothing to other streams, waits for none, and events are recorded by Event::record_in_graph()
  // alone; other threads may do what they like. Throws Error: what `give` threw; failed where it
  // gave something that cannot be kept.
  Graph(CUstream_st* stream, const std::function<void()>& give);
  Graph(Graph&& other) noexcept;
  Graph& operator=(Graph&&) = delete;
  // Work under way must be done.
  ~Graph();

  // Failures: take_error().
  void launch(CUstream_st* stream) const noexcept;

 private:
  CUgraphExec_st* graph_ = nullptr;
};

}  // namespace megascale::cuda

#endif  // MEGASCALE_CUDA_GRAPH_H_
