// Attention by cuDNN's frontend. The constructor describes a graph with one SDPA operation (scaled
// dot product attention), build() lets cuDNN choose an engine for it, and run() executes it with
// the addresses of one task. Tensors have fixed ids. Queries, keys and values are described, by
// their strides, as parts of one packed tensor.
#include "megascale/kernels/cuda/cudnn_attention.h"

#include <cudnn_frontend.h>
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "megascale/cuda/memory.h"
#include "megascale/graph/sliding_window.h"

namespace megascale::kernels::cuda {
namespace {

namespace fe = cudnn_frontend;
using Attributes = fe::graph::Tensor_attributes;
using TensorPtr = std::shared_ptr<Attributes>;

enum Uid : std::int64_t {
  kQ = 1,
  kK,
  kV,
  kO,
  kStats,
  kGradO,
  kGradQ,
  kGradK,
  kGradV,
  kMask,
  kQueryLengths,
  kKeyLengths
};

// Returns the calling thread's handle. Each thread has its own, since CUDA's current device belongs
// to a thread. Handles are never destroyed: when a thread ends, the CUDA runtime may already be
// unloaded.
cudnnHandle_t handle() {
  thread_local cudnnHandle_t handle = nullptr;
  if (handle == nullptr && cudnnCreate(&handle) != CUDNN_STATUS_SUCCESS)
    throw Error(ErrorCode::failed, "cuDNN: cannot start");
  return handle;
}

// Returns whether cudnn-frontend (1.23, scaled_dot_product_flash_attention.h) would give the graph of a
// gradient the lengths of its sequences, because cuDNN up to 9.15.0 needs them. The frontend copies
// them to the device in every run, from a temporary in the host's memory. A CUDA graph that has
// captured the copy reads that memory again when it is launched, long after it was freed: kernels then
// get any numbers as lengths.
bool needs_lengths(const CudnnCall& call) {
  constexpr std::size_t kTile = 128, kLastVersion = 91500;
  return call.direction == Direction::backward && call.shape.sequence % kTile != 0 &&
         cudnnGetVersion() <= kLastVersion;
}

class GraphAttention final : public CudnnAttention {
 public:
  explicit GraphAttention(const CudnnCall& call) : call_(call) {
    graph_.set_io_data_type(fe::DataType_t::BFLOAT16)
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
    if (call.direction == Direction::forward) {
      describe_forward();
    } else {
      describe_backward();
    }
  }
  // Returns cuDNN's reason if it refuses the graph, or nothing if the object is ready to run.
  std::optional<std::string> build() {
    if (auto status = graph_.build(handle(), {fe::HeurMode_t::A}); status.is_bad())
      return status.get_message();
    std::int64_t nbytes = 0;
    if (auto status = graph_.get_workspace_size(nbytes); status.is_bad())
      return status.get_message();
    workspace_nbytes_ = static_cast<std::size_t>(nbytes);
    return std::nullopt;
  }

  [[nodiscard]] CudnnGraphCheck check() {
    auto status = graph_.validate();
    return {.refusal = status.is_bad() ? status.get_message() : "", .graph = graph_.print()};
  }

  [[nodiscard]] std::size_t workspace_nbytes() const noexcept override { return workspace_nbytes_; }

  const Error* run(const CudnnAddresses& a, std::byte* workspace,
                   CUstream_st* stream) noexcept override {
    Pointers pointers{{kQ, a.q}, {kK, a.k}, {kV, a.v}, {kO, a.o}, {kStats, a.stats}};
    if (call_.direction == Direction::backward)
      pointers.merge(
          Pointers{{kGradO, a.grad_o}, {kGradQ, a.grad_q}, {kGradK, a.grad_k}, {kGradV, a.grad_v}});
    if (call_.masked) pointers.emplace(kMask, a.mask);
    if (lengths_) {
      pointers.emplace(kQueryLengths, lengths_->bytes().data());
      pointers.emplace(kKeyLengths, lengths_->bytes().data());
    }
    return execute(pointers, workspace, stream);
  }

 private:
  using Pointers = std::unordered_map<std::int64_t, void*>;
  static std::int64_t number(std::size_t value) { return static_cast<std::int64_t>(value); }

  [[nodiscard]] std::size_t query_heads() const {
    return call_.part.kv_heads * (shape_.query_heads / shape_.kv_heads);
  }
  // Describes a tensor (B, count, S, HS): `count` heads of each token, in rows of `row` elements.
  Attributes heads(const char* name, std::int64_t uid, std::size_t count, std::size_t row) const {
    return Attributes()
        .set_name(name)
        .set_uid(uid)
        .set_dim({number(call_.part.batch), number(count), number(shape_.sequence),
                  number(shape_.head_size)})
        .set_stride({number(shape_.sequence * row), number(shape_.head_size), number(row), 1});
  }
  Attributes stats() const {
    const std::int64_t s = number(shape_.sequence);
    return Attributes()
        .set_name("stats")
        .set_uid(kStats)
        .set_dim({number(call_.part.batch), number(query_heads()), s, 1})
        .set_stride({number(shape_.query_heads) * s, s, 1, 1})
        .set_data_type(fe::DataType_t::FLOAT);
  }
  [[nodiscard]] std::size_t output_row() const { return shape_.query_heads * shape_.head_size; }
  [[nodiscard]] float scale() const { return shape_.factor(); }
  // Sets the causal mask. With a window, a query sees keys with index > query - window. A mask of
  // documents, which all heads of a sequence share, is added to the scores; it knows the window.
  template <class Options>
  void set_mask(Options& options) {
    options.set_diagonal_alignment(fe::DiagonalAlignment_t::TOP_LEFT)
        .set_diagonal_band_right_bound(0);
    if (call_.masked) {
      const std::int64_t s = number(shape_.sequence);
      TensorPtr mask = graph_.tensor(Attributes()
                                         .set_name("mask")
                                         .set_uid(kMask)
                                         .set_dim({number(call_.part.batch), 1, s, s})
                                         .set_stride({s * s, s * s, s, 1}));
      options.set_bias(mask);
      return;
    }
    if (graph::most_visible_keys(shape_.sequence, shape_.window) < shape_.sequence)
      options.set_diagonal_band_left_bound(static_cast<int>(shape_.window));
  }

  // Gives the graph the lengths of its sequences, which are all whole, in the device's memory.
  void set_lengths(fe::graph::SDPA_backward_attributes& options) {
    const std::vector<std::int32_t> lengths(call_.part.batch,
                                            static_cast<std::int32_t>(shape_.sequence));
    const auto bytes = std::as_bytes(std::span(lengths));
    lengths_.emplace(bytes.size());
    megascale::cuda::copy_to_device(lengths_->bytes().data(), bytes);
    const auto tensor = [&](const char* name, std::int64_t uid) {
      return graph_.tensor(Attributes()
                               .set_name(name)
                               .set_uid(uid)
                               .set_dim({number(call_.part.batch), 1, 1, 1})
                               .set_stride({1, 1, 1, 1})
                               .set_data_type(fe::DataType_t::INT32));
    };
    options.set_padding_mask(true)
        .set_seq_len_q(tensor("query_lengths", kQueryLengths))
        .set_seq_len_kv(tensor("key_lengths", kKeyLengths));
  }

  void describe_forward() {
    const TensorPtr q = graph_.tensor(heads("q", kQ, query_heads(), shape_.row()));
    const TensorPtr k = graph_.tensor(heads("k", kK, call_.part.kv_heads, shape_.row()));
    const TensorPtr v = graph_.tensor(heads("v", kV, call_.part.kv_heads, shape_.row()));
    auto options = fe::graph::SDPA_attributes()
                       .set_name("attention")
                       .set_generate_stats(true)
                       .set_attn_scale(scale());
    set_mask(options);
    auto [o, statistics] = graph_.sdpa(q, k, v, options);
    place(o, heads("o", kO, query_heads(), output_row()));
    place(statistics, stats());
    statistics->set_data_type(fe::DataType_t::FLOAT);
  }

  void describe_backward() {
    const TensorPtr q = graph_.tensor(heads("q", kQ, query_heads(), shape_.row()));
    const TensorPtr k = graph_.tensor(heads("k", kK, call_.part.kv_heads, shape_.row()));
    const TensorPtr v = graph_.tensor(heads("v", kV, call_.part.kv_heads, shape_.row()));
    const TensorPtr o = graph_.tensor(heads("o", kO, query_heads(), output_row()));
    const TensorPtr grad_o = graph_.tensor(heads("grad_o", kGradO, query_heads(), output_row()));
    auto options = fe::graph::SDPA_backward_attributes()
                       .set_name("attention_gradient")
                       .set_attn_scale(scale())
                       .set_deterministic_algorithm(call_.deterministic);
    set_mask(options);
    if (needs_lengths(call_)) set_lengths(options);
    auto [dq, dk, dv] = graph_.sdpa_backward(q, k, v, o, grad_o, graph_.tensor(stats()), options);
    place(dq, heads("dq", kGradQ, query_heads(), shape_.row()));
    place(dk, heads("dk", kGradK, call_.part.kv_heads, shape_.row()));
    place(dv, heads("dv", kGradV, call_.part.kv_heads, shape_.row()));
  }

  static void place(const TensorPtr& output, const Attributes& as) {
    output->set_output(true)
        .set_uid(as.get_uid())
        .set_dim(as.get_dim())
        .set_stride(as.get_stride());
  }

  const Error* execute(Pointers& pointers, std::byte* workspace, CUstream_st* stream) noexcept try {
    if (cudnnSetStream(handle(), stream) != CUDNN_STATUS_SUCCESS)
      throw Error(ErrorCode::failed, "cuDNN: cannot use the stream");
    if (auto status = graph_.execute(handle(), pointers, workspace); status.is_bad())
      throw Error(ErrorCode::failed, "cuDNN: cannot run attention: " + status.get_message());
    return nullptr;
  } catch (const Error& error) {
    error_ = error;
    return &*error_;
  } catch (const std::exception& error) {
    error_ = Error(ErrorCode::failed, error.what());
    return &*error_;
  }

  CudnnCall call_;
  const AttentionShape& shape_ = call_.shape;
  fe::graph::Graph graph_;
  std::optional<megascale::cuda::DeviceMemory> lengths_;  // int32, by sequence of the part
  std::size_t workspace_nbytes_ = 0;
  std::optional<Error> error_;
};

}  // namespace

std::unique_ptr<CudnnAttention> CudnnAttention::make(const CudnnCall& call) {
  auto made = std::make_unique<GraphAttention>(call);
  if (const auto refusal = made->build()) {
    const AttentionShape& shape = call.shape;
    throw Error(
        ErrorCode::unsupported,
        fmt::format("cuDNN refuses attention of {} x {} tokens, {} heads in {} groups, size "
                    "{}, window {}{}: {}; kernels.cudnn = false runs our own kernels",
                    shape.batch, shape.sequence, shape.query_heads, shape.kv_heads, shape.head_size,
                    shape.window, call.masked ? ", a mask of documents" : "", *refusal));
  }
  return made;
}

CudnnGraphCheck check_cudnn_graph(const CudnnCall& call) { return GraphAttention(call).check(); }

}  // namespace megascale::kernels::cuda
