#ifndef MEGASCALE_CUDA_GRAPH_H_
#define MEGASCALE_CUDA_GRAPH_H_

#include <functional>

#include "megascale/base/error.h"

struct CUstream_st;
struct CUgraphExec_st;

namespace megascale::cuda {

// A CUDA graph: work that was captured from a stream and can be launched again by one call. It
// contains the addresses and arguments that were used at the capture.
class Graph {
 public:
  // Captures the work that `give` enqueues on `stream`, without executing it. During the capture
  // the calling thread must not use or wait for other streams, and must record events with
  // Event::record_in_graph() only. Other threads are not restricted. Throws the error of `give`, or
  // Error (failed) if some work cannot be captured.
  Graph(CUstream_st* stream, const std::function<void()>& give);
  Graph(Graph&& other) noexcept;
  Graph& operator=(Graph&&) = delete;
  // All launches of the graph must be finished.
  ~Graph();

  // Enqueues the work on `stream`. take_error() reports a failure.
  void launch(CUstream_st* stream) const noexcept;

 private:
  CUgraphExec_st* graph_ = nullptr;
};

}  // namespace megascale::cuda

#endif  // MEGASCALE_CUDA_GRAPH_H_
