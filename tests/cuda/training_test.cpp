// Whole training runs of dense models on a device against the CPU's, which is the oracle: every
// layer of the back end at once. Ranks are threads that share the device. Without a device,
// skipped.
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <random>

#include "cuda/device_training.h"
#include "engine/training_job.h"
#include "megascale/config/adapter_targets.h"
#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/engine/device_memory_meter.h"
#include "megascale/engine/engine.h"
#include "megascale/engine/rank_memory.h"
#include "support/job.h"
#include "support/watchdog.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// ZeRO stage 3.
const Settings kDivided{"parallel.world_size=2", "parallel.zero_stage=3"};

TEST_F(DeviceTraining, Gpt) { expect_as_on_cpu(kGpt); }
TEST_F(DeviceTraining, Llama) { expect_as_on_cpu(kLlama); }
TEST_F(DeviceTraining, Adapters) {
  for (const Settings& model : {kGpt, with(kLlama, {"parallel.tensor_model_parallel_size=2"})})
    expect_as_on_cpu(with(model, {"lora.rank=3", "optimizer.lr=0.02"}));
}
// Goal: frozen weights are rounded to bfloat16 once, lie in a checkpoint with these values, and come back from
// there, so that a resume repeats the bits.
class DeviceTrainingOfAdapters : public DeviceTraining,
                                 public ::testing::WithParamInterface<Settings> {};
TEST_P(DeviceTrainingOfAdapters, OnWeightsInBfloat16) {
  const Settings model = with(with(kLlama, {"lora.rank=3", "optimizer.lr=0.02"}), GetParam());
  expect_bfloat_follows_float(model);
  const Settings all = with(steps(model), {"train.device=cuda", "model.dtype=bfloat16"});
  const Outcome begun = laboratory.run(all, {.most_steps = 0}),
                one = laboratory.run(all, {.most_steps = 1}),
                two = laboratory.run(all, {.most_steps = 2}),
                resumed = laboratory.run(all, {.most_steps = 2, .load = one.checkpoints});
  EXPECT_EQ(first_difference(resumed.tensors, two.tensors), "");
  int frozen = 0;
  for (const auto& [name, values] : two.tensors) {
    if (name.ends_with("_moment") || is_adapter_name(name)) continue;
    ++frozen;
    EXPECT_EQ(values, begun.tensors.at(name)) << name;
    for (const float value : values)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(value) & 0xFFFFU, 0U) << name << " is no bfloat16";
  }
  EXPECT_GT(frozen, 10);
  const Tensors exact = laboratory.run(steps(model), {.most_steps = 0}).tensors;
  for (const auto& [name, values] : begun.tensors) {
    if (name.ends_with("_moment") || is_adapter_name(name)) continue;
    const auto& wanted = exact.at(name);
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_NEAR(values[i], wanted[i], std::abs(wanted[i]) / 256) << name;
  }
}
INSTANTIATE_TEST_SUITE_P(Layouts, DeviceTrainingOfAdapters, ::testing::Values(Settings{}, kDivided),
                         [](const auto& layout) {
                           return std::string(layout.param.empty() ? "one" : "divided2");
                         });
TEST_F(DeviceTraining, QwenWithScaledRotaryPositions) {
  expect_as_on_cpu(
      with(kLlama, {"model.type=qwen3", "model.add_qkv_bias=true", "model.head_dim=8",
                    "model.use_rope_scaling=true", "model.original_max_position_embeddings=16",
                    "model.sliding_window=5", "model.full_attention_layers=1",
                    "parallel.tensor_model_parallel_size=2"}));
}
TEST_F(DeviceTraining, ParallelBlockWithWindowAndPackedDocuments) {
  expect_as_on_cpu(with(kGpt, {"model.parallel_block=true", "model.sliding_window=5",
                               "data.packed_documents=true", "recompute.granularity=selective"}));
}
// Parts that few families have: heads that are rotated in part and the exact GELU (GPT-NeoX); a
// norm of all heads (OLMo 2); norms with 1 + weight, GeGLU, soft caps and a scale of attention
// (Gemma 2); two bases of rotary positions (Gemma 3).
const Settings kFamily{"model.num_layers=2", "model.hidden_size=32", "model.num_attention_heads=4"};
TEST_F(DeviceTraining, GptNeox) {
  expect_as_on_cpu(with(kFamily, {"model.type=gpt_neox", "model.rotary_percent=0.5",
                                  "parallel.tensor_model_parallel_size=2"}));
}
TEST_F(DeviceTraining, Olmo2) {
  expect_as_on_cpu(with(kFamily, {"model.type=olmo2", "model.num_query_groups=2",
                                  "parallel.context_parallel_size=2"}));
}
TEST_F(DeviceTraining, Olmo2WithTensorRanks) {
  expect_as_on_cpu(with(kFamily, {"model.type=olmo2", "model.num_query_groups=2",
                                  "parallel.tensor_model_parallel_size=2"}));
}
TEST_F(DeviceTraining, Gemma2) {
  expect_as_on_cpu(
      with(kFamily, {"model.type=gemma2", "model.num_query_groups=2", "model.sliding_window=5",
                     "model.query_pre_attn_scalar=24", "model.attn_logit_softcapping=2",
                     "model.final_logit_softcapping=3", "parallel.tensor_model_parallel_size=2"}));
}
TEST_F(DeviceTraining, Gemma3) {
  expect_as_on_cpu(with(kFamily, {"model.type=gemma3", "model.num_query_groups=2",
                                  "model.sliding_window=5", "model.query_pre_attn_scalar=24"}));
}
// Latent attention, whose heads of values have a size of their own.
const Settings kLatent =
    with(kFamily, {"model.type=deepseek_v3", "model.q_lora_rank=16", "model.kv_lora_rank=24",
                   "model.qk_head_dim=8", "model.qk_pos_emb_head_dim=4", "model.v_head_dim=8"});
TEST_F(DeviceTraining, LatentAttention) {
  for (const Settings& more :
       {Settings{"model.q_lora_rank=0", "model.v_head_dim=16"},
        Settings{"parallel.tensor_model_parallel_size=2"},
        Settings{"parallel.context_parallel_size=2", "data.packed_documents=true"}})
    expect_as_on_cpu(with(kLatent, more));
}
TEST_F(DeviceTraining, BfloatFollowsFloatInAllFamilies) {
  for (const std::string family : {"gpt_neox", "olmo2", "gemma2", "gemma3"})
    expect_bfloat_follows_float(with(kFamily, {"model.type=" + family}));
  expect_bfloat_follows_float(kLatent);
}
TEST_F(DeviceTraining, Lamb) { expect_as_on_cpu(with(kGpt, {"optimizer.name=lamb"})); }
TEST_F(DeviceTraining, TensorParallel) {
  expect_as_on_cpu(with(kGpt, {"parallel.tensor_model_parallel_size=2"}));
}
TEST_F(DeviceTraining, TensorParallelInPieces) {
  expect_as_on_cpu(
      with(kLlama, {"parallel.tensor_model_parallel_size=2", "overlap.tensor_pieces=2"}));
}
// A value near the middle of two codes may be rounded to the other one on the device.
TEST_F(DeviceTraining, SumsOfTensorRanksIn8Bits) {
  const Settings sums = with(steps(kLlama), {"parallel.tensor_model_parallel_size=2",
                                             "parallel.fp8_reduce_scatter=true"}),
                 on_device = with(sums, {"train.device=cuda"});
  const Outcome cpu = laboratory.run(sums), device = laboratory.run(on_device);
  EXPECT_LE(worst_relative_difference(device.losses, cpu.losses), 1e-3);
  EXPECT_LE(worst_relative_difference(device.gradient_norms, cpu.gradient_norms), 1e-2);
  EXPECT_NE(first_difference(
                device, laboratory.run(with(on_device, {"parallel.fp8_reduce_scatter=false"}))),
            "")
      << "8 bits were used";
  EXPECT_EQ(first_difference(laboratory.run(with(on_device, {"overlap.tensor=false"})), device),
            "");
}
TEST_F(DeviceTraining, Pipeline) {
  expect_as_on_cpu(with(kGpt, {"parallel.pipeline_model_parallel_size=2"}));
}
TEST_F(DeviceTraining, DataParallelWithShardedOptimizer) {
  expect_as_on_cpu(with(kLlama, {"parallel.world_size=2", "parallel.zero_stage=2"}));
}
// With masters of another dtype too, and sums that are exchanged in bfloat16.
TEST_F(DeviceTraining, DividedParameters) {
  expect_as_on_cpu(with(kLlama, kDivided));
  expect_as_on_cpu(
      with(kGpt, with(kDivided, {"parallel.reduce_scatter_with_fp32_accumulation=true"})));
  expect_bfloat_follows_float(with(kLlama, kDivided));
}
// Gradients that are rounded to bfloat16 for their exchange, and those that are added by hosts.
TEST_F(DeviceTraining, DataParallelInBfloat16) {
  expect_as_on_cpu(with(kGpt, {"parallel.world_size=4", "parallel.zero_stage=2",
                               "parallel.reduce_scatter_with_fp32_accumulation=true"}));
}
TEST_F(DeviceTraining, DataParallelByHosts) {
  expect_as_on_cpu(
      with(kGpt, {"parallel.world_size=4", "parallel.zero_stage=1", "parallel.ranks_per_host=2",
                  "parallel.hierarchical_reduction_pieces=2"}));
}
// Each rank gets its shard of the sums, in float32 and rounded to bfloat16 between hosts. Sums that
// differ in their last bits may round to neighbours: one value of a small tensor does.
TEST_F(DeviceTraining, ShardsByHosts) {
  const Settings by_hosts =
      with(kGpt, {"parallel.world_size=4", "parallel.zero_stage=2", "parallel.ranks_per_host=2",
                  "parallel.hierarchical_reduction_pieces=1"});
  expect_as_on_cpu(by_hosts);
  expect_as_on_cpu(with(by_hosts, {"parallel.reduce_scatter_with_fp32_accumulation=true"}),
                   /*most_of_gradients=*/0x1p-8);
}
TEST_F(DeviceTraining, ContextParallel) {
  expect_as_on_cpu(with(kLlama, {"parallel.context_parallel_size=2"}));
}
TEST_F(DeviceTraining, ContextParallelInPieces) {
  const Settings pieces =
      with(kLlama, {"parallel.context_parallel_size=2", "overlap.context_pieces=2"});
  expect_as_on_cpu(pieces);
  const Settings all = with(steps(pieces), {"train.device=cuda"});
  EXPECT_EQ(
      first_difference(laboratory.run(all), laboratory.run(with(all, {"overlap.tensor=false"}))),
      "");
}

// Two runs: equal in every bit of weights, moments, losses.
TEST_F(DeviceTraining, RepeatsItsBits) {
  for (const std::string dtype : {"float32", "bfloat16"}) {
    const Settings settings =
        with(steps(kGpt), {"train.device=cuda", "model.dtype=" + dtype,
                           "parallel.tensor_model_parallel_size=2", "parallel.world_size=4"});
    EXPECT_EQ(first_difference(laboratory.run(settings), laboratory.run(settings)), "") << dtype;
  }
}

// Layouts with the switches of what they overlap. Whatever the timing: what comes first where the
// plan does not say is drawn anew.
struct OverlappedLayout {
  const char* name;
  Settings layout, serial;
};
void PrintTo(const OverlappedLayout& layout, std::ostream* out) { *out << layout.name; }
class DeviceTrainingWithOverlap : public DeviceTraining,
                                  public ::testing::WithParamInterface<OverlappedLayout> {};
TEST_P(DeviceTrainingWithOverlap, DoesNotChangeBits) {
  const Settings settings = with(with(steps(kLlama), {"train.device=cuda"}), GetParam().layout);
  EXPECT_EQ(
      first_difference(laboratory.run(settings), laboratory.run(with(settings, GetParam().serial))),
      "");
}
INSTANTIATE_TEST_SUITE_P(
    Layouts, DeviceTrainingWithOverlap,
    ::testing::Values(
        OverlappedLayout{
            "tensor2", {"parallel.tensor_model_parallel_size=2"}, {"overlap.tensor=false"}},
        OverlappedLayout{
            "pipeline2", {"parallel.pipeline_model_parallel_size=2"}, {"overlap.pipeline=false"}},
        OverlappedLayout{
            "data2", {"parallel.world_size=2", "parallel.zero_stage=2"}, {"overlap.data=false"}},
        OverlappedLayout{"divided2", kDivided, {"overlap.data=false"}},
        OverlappedLayout{"tensor2_data2",
                         {"parallel.tensor_model_parallel_size=2", "parallel.world_size=4",
                          "parallel.zero_stage=1"},
                         {"overlap.tensor=false", "overlap.data=false"}}),
    ::testing::PrintToStringParamName());

// What the host sees in all steps but the first, and what evaluation runs, comes out of graphs.
TEST_F(DeviceTraining, GraphsDoNotChangeBits) {
  for (const Settings& layout : {Settings{}, kDivided,
                                 Settings{"parallel.tensor_model_parallel_size=2",
                                          "parallel.world_size=4", "parallel.zero_stage=1"}}) {
    const Settings settings = with(with(steps(kLlama), {"train.device=cuda"}), layout);
    const Outcome plain = laboratory.run(with(settings, {"train.train_iters=4"}));
    const Outcome graphs =
        laboratory.run(with(settings, {"train.train_iters=4", "kernels.cuda_graphs=true"}));
    EXPECT_EQ(first_difference(graphs, plain), "");
  }
}

// Tasks are handed over late, each by another time.
TEST_F(DeviceTraining, DelaysDoNotChangeBits) {
  const Settings settings =
      with(steps(kGpt), {"train.device=cuda", "parallel.tensor_model_parallel_size=2",
                         "parallel.pipeline_model_parallel_size=2"});
  const Outcome undelayed = laboratory.run(settings);
  for (const std::uint64_t seed : {1, 2}) {
    const RunOptions delayed{.before_task = [seed](std::uint32_t rank, std::uint32_t task) {
      random_delay(seed, rank, task);
    }};
    EXPECT_EQ(first_difference(laboratory.run(settings, delayed), undelayed), "") << seed;
  }
}

// Tasks begin late on the device, each by another time: its stream copies memory of the test's
// before. The host hands over what comes behind meanwhile, so a task that did not wait for another
// one would find its values missing.
TEST_F(DeviceTraining, DelaysOnStreamsDoNotChangeBits) {
#ifdef MEGASCALE_EMULATE_CUDA
  constexpr std::size_t kMost = 4096;
#else
  constexpr std::size_t kMost = std::size_t{64} << 20U;  // 0.05 ms on an H100
#endif
  const cuda::DeviceMemory from(kMost), to(kMost);
  for (const Settings& layout : {Settings{"parallel.tensor_model_parallel_size=2",
                                          "parallel.pipeline_model_parallel_size=2"},
                                 {"parallel.world_size=2", "parallel.zero_stage=2"}}) {
    const Settings settings = with(with(steps(kGpt), {"train.device=cuda"}), layout);
    std::atomic<int> delays{0};
    const RunOptions delayed{
        .before_work = [&](std::uint32_t rank, std::uint32_t task, CUstream_st* stream) {
          const auto drawn = std::minstd_rand(task * 16 + rank + 1)();
          if (drawn % 2 == 0) return;
          ++delays;
          cuda::copy_async(to.bytes().data(), from.bytes().first(drawn % kMost + 1), stream);
        }};
    EXPECT_EQ(first_difference(laboratory.run(settings, delayed), laboratory.run(settings)), "");
    EXPECT_GT(delays, 0);
  }
}

// An error of a task stops the run, with its name.
TEST_F(DeviceTraining, ErrorsCarryTheTasksName) {
  const RunOptions faulty{.before_task = [](std::uint32_t rank, std::uint32_t task) {
    if (rank == 1 && task == 17) throw Error(ErrorCode::failed, "a fault of the test's");
  }};
  try {
    laboratory.run(
        with(steps(kGpt), {"train.device=cuda", "parallel.tensor_model_parallel_size=2"}), faulty);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("a fault of the test's; while running task 17 ("),
              std::string::npos)
        << error.message();
  }
}

// What is taken is what was planned, and little outside of it.
TEST_F(DeviceTraining, TakesTheMemoryThatWasPlanned) {
  const TrainingJob job(R"(
      [model]
      num_layers = 2
      hidden_size = 24
      num_attention_heads = 4
      seq_length = 16
      [train]
      device = "cuda"
      micro_batch_size = 2
      global_batch_size = 4
      threads_per_rank = 1
      )",
                        3);
  const job::JobPlan plan = job::plan_job(job.config());
  const engine::DeviceMemoryMeter meter(plan);
  EXPECT_EQ(meter.read().taken, 0U);
  engine::Engine engine(job.config(), plan, {.train = &job.data()});
  engine.initialize();
  engine.start_at(0);
  for (int step = 0; step < 2; ++step) engine.train_step();
  const engine::DeviceMemoryUse use = meter.read();
  EXPECT_EQ(use.planned, plan.arena_nbytes());
  EXPECT_GE(use.taken, use.planned);
#ifdef MEGASCALE_EMULATE_CUDA
  EXPECT_LT(use.outside(), 1U << 20U);  // tables of kernels
#else
  EXPECT_LT(use.outside(), 1U << 30U);                   // libraries: a bound, not a measurement
#endif
}

TEST_F(DeviceTraining, BfloatFollowsFloat) {
  for (const Settings& model : {kGpt, kLlama}) expect_bfloat_follows_float(model);
}

// kGpt and kLlama have heads of 6, which our own attention computes. These are served by cuDNN,
// with and without groups of query heads.
class DeviceTrainingOfHeads : public DeviceTraining,
                              public ::testing::WithParamInterface<std::int64_t> {
 public:
  [[nodiscard]] std::vector<Settings> models() const {
    const auto width = [](std::int64_t heads, std::int64_t size) {
      return Settings{"model.hidden_size=" + std::to_string(heads * size),
                      "model.num_attention_heads=" + std::to_string(heads)};
    };
    return {with(kGpt, width(2, GetParam())),
            with(with(kLlama, width(2, GetParam())),
                 {"model.num_query_groups=1", "model.num_layers=1"})};
  }
};
TEST_P(DeviceTrainingOfHeads, BfloatFollowsFloat) {
  for (const Settings& model : models()) expect_bfloat_follows_float(model);
}
// Documents are kept apart by a mask in bfloat16, and by our own kernels in float32. Losses of the
// first steps hardly depend on attention, so the gradients of the first one are compared.
TEST_P(DeviceTrainingOfHeads, PackedDocumentsFollowFloat) {
  for (const Settings& model : models()) {
    const Settings whole = with(steps(model), {"train.device=cuda", "optimizer.clip_grad=0",
                                               "train.micro_batch_size=2"}),
                   packed = with(whole, {"data.packed_documents=true", "model.sliding_window=5"});
    const Outcome single = laboratory.run(packed, {.most_steps = 1}),
                  half = laboratory.run(with(packed, {"model.dtype=bfloat16"}), {.most_steps = 1}),
                  unmasked = laboratory.run(whole, {.most_steps = 1});
    const double difference = worst_gradient_difference(half.tensors, single.tensors);
    EXPECT_GT(difference, 1e-4) << "bfloat16 was used";
    EXPECT_LE(difference, 3e-2);
    EXPECT_GT(worst_gradient_difference(unmasked.tensors, single.tensors), 0.3);
  }
}
TEST_P(DeviceTrainingOfHeads, RepeatsItsBits) {
  for (const Settings& model : models()) {
    const Settings settings = with(steps(model), {"train.device=cuda", "model.dtype=bfloat16"});
    EXPECT_EQ(first_difference(laboratory.run(settings), laboratory.run(settings)), "");
  }
}
INSTANTIATE_TEST_SUITE_P(Heads, DeviceTrainingOfHeads, ::testing::Values(64, 128, 256),
                         ::testing::PrintToStringParamName());

// GELU and residual sums as parts of products: other last bits, the same whatever is computed
// again.
TEST_F(DeviceTraining, FusedProductsDoNotChangeWithRecomputation) {
  const Settings settings = with(steps(kGpt), {"train.device=cuda", "model.dtype=bfloat16"});
  const Outcome fused = laboratory.run(settings);
  for (const std::string name : {"gelu", "residual"}) {
    const Outcome apart = laboratory.run(with(settings, {"kernels.fused_" + name + "=false"}));
    EXPECT_LE(worst_relative_difference(fused.losses, apart.losses), 1e-2);
    EXPECT_NE(first_difference(fused, apart), "") << "nothing was fused: " << name;
  }
  for (const Settings& recompute :
       {Settings{"recompute.granularity=full"},
        Settings{"recompute.granularity=list", "recompute.ops=linear_gelu,linear_add"}})
    EXPECT_EQ(first_difference(laboratory.run(with(settings, recompute)), fused), "");
}

// Two micro-batches on each of two ranks: the second one's sums are added by a kernel of our own.
TEST_F(DeviceTraining, BiasGradientsInProductsAreTheSameSums) {
  const Settings settings =
      with(steps(kGpt), {"train.device=cuda", "model.dtype=bfloat16", "optimizer.clip_grad=0",
                         "parallel.world_size=2", "train.micro_batch_size=1"});
  const Outcome apart = laboratory.run(settings, {.most_steps = 1});
  const Outcome fused =
      laboratory.run(with(settings, {"kernels.fused_bias_gradient=true"}), {.most_steps = 1});
  EXPECT_LE(worst_gradient_difference(fused.tensors, apart.tensors), 1e-5);
  EXPECT_NE(first_difference(fused, apart), "") << "nothing was fused";
}

// Widths and tokens are multiples of 16. Ranks that split the layers do not split a matrix's scale
// alike, so bits are compared between runs of one layout alone.
class DeviceFp8Training : public DeviceTraining {};
const Settings kWide{"model.num_layers=2", "model.hidden_size=64", "model.num_attention_heads=4",
                     "model.seq_length=16"};
TEST_F(DeviceFp8Training, FollowsBfloat) {
  for (const Settings& model : {kWide, with(kWide, {"model.type=llama", "model.num_query_groups=2",
                                                    "model.ffn_hidden_size=160"})}) {
    const Settings settings = with(steps(model), {"train.device=cuda", "model.dtype=bfloat16"});
    const Outcome half = laboratory.run(settings),
                  fp8 = laboratory.run(with(settings, {"model.fp8=hybrid"}));
    EXPECT_LE(worst_relative_difference(fp8.losses, half.losses), 2e-2);
    EXPECT_NE(first_difference(fp8, half), "") << "8 bits were used";
    EXPECT_EQ(first_difference(fp8, laboratory.run(with(settings, {"model.fp8=hybrid",
                                                                   "recompute.granularity=full"}))),
              "");
  }
}
// Goal: with divided parameters weights are rounded anew where they are read, to the same codes.  Method: with one
// micro-batch the sums of stages 2 and 3 have the same bits.
TEST_F(DeviceFp8Training, DividedParametersHaveTheSameCodes) {
  const Settings settings =
      with(steps(kWide), {"train.device=cuda", "model.dtype=bfloat16", "model.fp8=hybrid",
                          "train.global_batch_size=2", "train.micro_batch_size=1"});
  const Outcome divided = laboratory.run(with(settings, kDivided)),
                scattered =
                    laboratory.run(with(with(settings, kDivided), {"parallel.zero_stage=2"}));
  EXPECT_EQ(first_difference(divided, scattered), "");
  EXPECT_EQ(
      first_difference(
          laboratory.run(with(with(settings, kDivided), {"recompute.granularity=full"})), divided),
      "");
}
// From the simple to the combined, since a device that fails once fails in all later tests of a
// process. On an H200 the combination of tensor ranks, graphs and 8 bits ended with an illegal memory
// access, likely since the gradient of attention over 16 tokens had a copy that a graph must not
// capture (decision 0012). So each graph here has such a gradient.
const Settings kTensor2{"parallel.tensor_model_parallel_size=2"},
    kGraphs{"kernels.cuda_graphs=true"}, k8Bits{"model.fp8=hybrid"};
void expect_overlap_and_graphs_keep_bits(Laboratory& laboratory, const Settings& more) {
  const Settings plain =
      with(with(steps(kWide), {"train.device=cuda", "model.dtype=bfloat16"}), more);
  const Outcome expected = laboratory.run(with(plain, {"overlap.tensor=false"}));
  EXPECT_EQ(first_difference(laboratory.run(plain), expected), "") << "overlap";
  EXPECT_EQ(first_difference(laboratory.run(with(plain, kGraphs)), expected), "") << "graphs";
}
TEST_F(DeviceFp8Training, WithoutItTensorRanksAndGraphsKeepBits) {
  expect_overlap_and_graphs_keep_bits(laboratory, kTensor2);
}
TEST_F(DeviceFp8Training, GraphsKeepBits) {
  expect_overlap_and_graphs_keep_bits(laboratory, k8Bits);
}
TEST_F(DeviceFp8Training, TensorRanksAndGraphsKeepBits) {
  expect_overlap_and_graphs_keep_bits(laboratory, with(k8Bits, kTensor2));
}
// Codes that are kept, gathered again or made again are the same.
TEST_F(DeviceFp8Training, TensorRanksKeepBitsWhateverIsComputedAgain) {
  const Settings plain = with(
      with(with(steps(kWide), {"train.device=cuda", "model.dtype=bfloat16"}), kTensor2), k8Bits);
  const Outcome expected = laboratory.run(plain);
  for (const Settings& more :
       {Settings{"recompute.granularity=full"}, Settings{"recompute.keep_gathered_input=true"},
        Settings{"recompute.granularity=list", "recompute.ops=quantise"}}) {
    EXPECT_EQ(first_difference(laboratory.run(with(plain, more)), expected), "") << more[0];
  }
}
// Codes travel in pieces, which are multiplied as they come.
TEST_F(DeviceFp8Training, TensorRanksInPiecesKeepBitsAndFollowBfloat) {
  const Settings plain =
      with(with(steps(kWide), {"train.device=cuda", "model.dtype=bfloat16", "model.seq_length=64"}),
           kTensor2);
  const Outcome half = laboratory.run(plain);
  for (const char* pieces : {"overlap.tensor_pieces=1", "overlap.tensor_pieces=2"}) {
    const Settings cut = with(with(plain, k8Bits), {pieces});
    const Outcome expected = laboratory.run(with(cut, {"overlap.tensor=false"}));
    EXPECT_EQ(first_difference(laboratory.run(cut), expected), "") << pieces;
    EXPECT_LE(worst_relative_difference(expected.losses, half.losses), 2e-2);
    EXPECT_NE(first_difference(expected, half), "") << "8 bits were used";
  }
}

// A checkpoint of a device's run goes on on the CPU, and the other way round.
TEST_F(DeviceTraining, ResumesFromTheCpuAndBack) {
  const Settings settings = with(kGpt, {"train.train_iters=4", "train.global_batch_size=4"});
  const Settings device = with(settings, {"train.device=cuda"});
  const Outcome whole = laboratory.run(settings);
  const Outcome first = laboratory.run(device, {.most_steps = 2});
  const Outcome second = laboratory.run(settings, {.most_steps = 1, .load = first.checkpoints});
  const Outcome third = laboratory.run(device, {.load = second.checkpoints});
  ASSERT_EQ(third.losses.size(), 1U);
  EXPECT_NEAR(third.losses[0], whole.losses[3], 1e-4 * whole.losses[3]);
}

// As symmetric memory gives it: the arena lies where it is said, and is not given back with the
// rank.
TEST_F(DeviceTraining, AnArenaCanLieInMemoryOfTheDevice) {
  constexpr std::size_t kNbytes = 4096;
  const cuda::DeviceMemory given(kNbytes);
  const std::vector<std::byte> values(16, std::byte{7});
  std::vector<std::byte> got(16);
  {
    const auto memory = engine::make_device_memory(kNbytes, 0, given.bytes());
    EXPECT_EQ(memory->arena().data(), given.bytes().data());
    memory->write(64, values);
    memory->read(got, 64);
    EXPECT_EQ(got, values);
  }
  cuda::copy_to_host(got, given.bytes().data() + 64);
  EXPECT_EQ(got, values);
}

}  // namespace
}  // namespace megascale
