#include "megascale/config/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "megascale/base/environment.h"
#include "megascale/base/files.h"
#include "megascale/base/philox.h"
#include "megascale/config/derived.h"
#include "megascale/config/fields.h"
#include "megascale/config/load.h"

namespace megascale {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path repository = MEGASCALE_SOURCE_DIR;

struct BrokenRule {
  std::vector<std::string> overrides;
  std::string law;  // a part of the law that is broken, and no other is
};

std::vector<BrokenRule> broken_rules() {
  const std::string tp = "parallel.tensor_model_parallel_size=",
                    pp = "parallel.pipeline_model_parallel_size=",
                    vpp = "parallel.virtual_pipeline_size=",
                    schedule = "parallel.pipeline_schedule=";
  return {
      {{"model.hidden_size=770"}, "hidden_size to be a multiple"},
      {{"model.num_query_groups=5"}, "multiple of num_query_groups"},
      {{"model.head_dim=63", "model.position_embedding=rope"}, "an even head_dim"},
      {{"model.qk_layernorm=true"}, "qk_layernorm only if normalization is rms_norm"},
      {{"model.use_rope_scaling=true"}, "use_rope_scaling only if position_embedding is rope"},
      {{"model.type=llama", "model.use_rope_scaling=true", "model.rope_high_freq_factor=1"},
       "rope_low_freq_factor < rope_high_freq_factor"},
      {{"model.type=llama", "model.use_rope_scaling=true", "model.rope_scaling_type=longrope",
        "model.rope_short_factor=[1.0]", "model.rope_long_factor=[1.0]"},
       "a rope_short_factor and a rope_long_factor for each"},
      {{"model.type=llama", "model.use_rope_scaling=true", "model.rope_scaling_type=yarn",
        "model.rope_beta_slow=32"},
       "rope_beta_slow < rope_beta_fast"},
      {{"model.type=llama", "model.use_rope_scaling=true", "model.rope_scaling_type=dynamic",
        "model.head_dim=2"},
       "at least 4 rotated channels with dynamic"},
      {{"model.type=llama", "model.rotary_percent=0.02"}, "an even number of rotated channels"},
      {{"model.type=llama", "model.rotary_percent=0.08"}, "an even number of rotated channels"},
      {{"model.type=deepseek_v2", "model.rotary_percent=0.5"},
       "with multi_latent_attention rope, rotary_percent 1, rms_norm"},
      {{"model.type=deepseek_v3", "model.qk_layernorm=true"},
       "with multi_latent_attention rope, rotary_percent 1, rms_norm"},
      {{"model.type=deepseek_v2", "model.head_dim=128"},
       "head_dim 0 or qk_head_dim + qk_pos_emb_head_dim"},
      {{"model.type=deepseek_v2", "model.qk_head_dim=64", "model.qk_pos_emb_head_dim=33"},
       "an even qk_pos_emb_head_dim"},
      {{"model.type=deepseek_v2", "model.num_query_groups=4"},
       "num_query_groups 0 or num_attention_heads with multi_latent_attention"},
      {{"model.type=deepseek_v2", "model.use_rope_scaling=true", "model.rope_scaling_type=yarn",
        "model.rope_mscale=1", "model.rope_mscale_all_dim=0.7", "model.rope_attention_factor=1"},
       "rope_attention_factor 0 if rope_mscale and rope_mscale_all_dim are set"},
      {{"model.type=deepseek_v2", "model.use_rope_scaling=true", "model.rope_scaling_type=yarn",
        "model.rope_mscale_all_dim=0.7", "kernels.fused=false"},
       "fused true with layernorm_zero_centered_gamma"},
      {{"model.type=deepseek_v2", "lora.rank=8"}, "targets without linear_qkv"},
      {{"model.layernorm_zero_centered_gamma=true"},
       "layernorm_zero_centered_gamma only if normalization is rms_norm"},
      {{"model.norm_position=after", "model.parallel_block=true"},
       "norm_position before with parallel_block or experts"},
      {{"model.type=llama", "model.norm_position=both", "moe.num_experts=4"},
       "norm_position before with parallel_block or experts"},
      {{"model.activation=gelu_erf", "kernels.fused=false"},
       "fused true with layernorm_zero_centered_gamma"},
      {{"model.full_attention_layers=1"}, "full_attention_layers <= num_layers"},
      {{"model.full_attention_layers=13", "model.sliding_window=8"},
       "full_attention_layers <= num_layers"},
      {{"model.max_position_embeddings=1000"}, "max_position_embeddings >="},
      {{"model.vocab_size=255"}, "vocab_size >= 256"},
      {{"data.split=969,30,x"}, "one to three shares"},
      {{"data.split=0,1,0"}, "one to three shares"},
      {{"data.whole_documents=true"}, "whole_documents only with packed_documents"},
      {{"data.split=1", "train.eval_interval=1", "data.data_path=a"},
       "valid_data_path, validation_sets or a validation share"},
      {{"data.data_path=0.7,a,0.3,b"}, "only prefixes in data_path"},
      {{"data.data_path=a,b", "data.data_weights=1"}, "one weight in data_weights for each"},
      {{"data.data_path=a,b", "data.data_weights=1,1e-9"}, "at least a millionth of their sum"},
      {{"data.data_path=a,b,a", "data.data_weights=1,2,3"}, "every prefix of data_path once"},
      {{"data.data_path=a,./a", "data.data_weights=1,2"}, "every prefix of data_path once"},
      {{"data.data_path=a,b", "data.data_weights=1,2", "data.split_each_set=false"},
       "split_each_set true with data_weights"},
      {{"data.validation_sets=wiki"}, "NAME=PREFIX in validation_sets"},
      {{"data.validation_sets=wiki="}, "NAME=PREFIX in validation_sets"},
      {{"data.validation_sets==a"}, "NAME=PREFIX in validation_sets"},
      {{"data.validation_sets=a b=c"}, "NAME=PREFIX in validation_sets"},
      {{"data.validation_sets=a=b,a=c"}, "NAME=PREFIX in validation_sets"},
      {{"data.validation_sets=a=b,c=b"}, "NAME=PREFIX in validation_sets"},
      {{"model.type=llama", "moe.num_experts=4", "moe.router_topk=5"},
       "router_topk <= num_experts"},
      {{"model.type=llama", "moe.num_experts=6", "moe.router_num_groups=4",
        "moe.router_group_topk=1"},
       "moe.num_experts to be a multiple of router_num_groups"},
      {{"model.type=llama", "moe.num_experts=8", "moe.router_num_groups=4"},
       "router_group_topk from 1 to router_num_groups, or 0 without groups"},
      {{"model.type=llama", "moe.num_experts=8", "moe.router_group_topk=2"},
       "router_group_topk from 1 to router_num_groups, or 0 without groups"},
      {{"model.type=llama", "moe.num_experts=8", "moe.router_topk=3", "moe.router_num_groups=4",
        "moe.router_group_topk=1"},
       "router_topk between router_group_topk and the number of experts in that many groups"},
      {{"model.type=llama", "moe.num_experts=8", "moe.router_topk=1", "moe.router_num_groups=4",
        "moe.router_group_topk=2"},
       "router_topk between router_group_topk and the number of experts in that many groups"},
      {{"model.type=llama", "moe.num_experts=8", "moe.router_group_best=1"},
       "router_group_best at most router_topk"},
      {{"model.type=llama", "moe.num_experts=8", "moe.router_topk=2", "moe.router_num_groups=2",
        "moe.router_group_topk=1", "moe.router_group_best=3"},
       "router_group_best at most router_topk"},
      {{"model.type=llama", "moe.num_experts=8", "moe.router_topk=4", "moe.router_num_groups=4",
        "moe.router_group_topk=2", "moe.router_group_best=3"},
       "router_group_best at most router_topk"},
      {{"model.type=llama", "moe.num_experts=6", "moe.device_groups=4"},
       "moe.num_experts to be a multiple of device_groups"},
      {{"model.type=llama", "moe.num_experts=4", "moe.device_aux_loss_coeff=0.1"},
       "device_groups above 0"},
      {{"model.type=llama", "moe.num_experts=4", "moe.communication_aux_loss_coeff=0.1"},
       "device_groups above 0"},
      {{"moe.expert_capacity_factor=0.5"}, "expert_capacity_factor 0 or at least 1"},
      {{"moe.capacity_exempt_share=0.1"}, "capacity_exempt_share 0 without expert_capacity_factor"},
      {{"lora.targets=linear_qkv,q_proj"}, "targets to name at least one of linear_qkv"},
      {{"lora.targets=[]"}, "targets to name at least one of linear_qkv"},
      {{"lora.targets=linear_qkv,linear_qkv"}, "each once"},
      {{"lora.rank=769"}, "rank not above the smallest extent"},
      {{"lora.rank=257", "model.ffn_hidden_size=256"}, "rank not above the smallest extent"},
      {{"lora.rank=257", "model.type=llama", "moe.num_experts=4", "moe.ffn_hidden_size=256"},
       "rank not above the smallest extent"},
      {{"lora.rank=129", "model.type=llama", "moe.num_experts=4",
        "moe.shared_expert_intermediate_size=128"},
       "rank not above the smallest extent"},
      {{"lora.rank=8", "model.fp8=e4m3"}, "rank 0 with fp8"},
      {{"lora.rank=8", "overlap.tensor_pieces=2"}, "no pieces and no fused pairs with adapters"},
      {{"lora.rank=8", "overlap.fused_pairs=true"}, "no pieces and no fused pairs with adapters"},
      {{"lora.rank=8", pp + "2", "parallel.pipeline_layers=[0,12]"}, "a layer in every chunk"},
      {{"preference.beta=0.1"}, "an even micro_batch_size with preferences"},
      {{"preference.beta=0.1", "train.micro_batch_size=2", "data.packed_documents=true"},
       "packed_documents and whole_documents false with preferences"},
      {{"preference.beta=0.1", "train.micro_batch_size=2", "data.data_path=a,b",
        "data.data_weights=1,2"},
       "no data_weights with preferences"},
      {{"moe.rows_bound=0.5"}, "rows_bound 0 or at least 1"},
      {{"model.type=llama", "moe.num_experts=4", "moe.rows_overflow=drop",
        "moe.token_dispatcher_type=allgather", "overlap.expert_pieces=2", "parallel.world_size=2",
        "parallel.expert_model_parallel_size=2"},
       "rows_overflow stop where tokens are gathered in pieces"},
      {{"model.type=llama", "moe.num_experts=4", "moe.shared_expert_gate=true"},
       "shared_expert_intermediate_size above 0 with shared_expert_gate"},
      {{"model.type=llama", "moe.num_experts=4", "moe.fp8_communication=true",
        "model.num_attention_heads=3", "model.hidden_size=30"},
       "hidden_size to be a multiple of 4 with fp8_communication"},
      {{"model.type=llama", "moe.num_experts=4", "moe.fp8_communication=true",
        "overlap.tensor_pieces=1"},
       "tensor_pieces 0 with fp8_communication"},
      {{"model.type=llama", "moe.num_experts=4", "moe.fp8_communication_recipe=tensorwise"},
       "fp8_communication_recipe tensorwise only with fp8_communication"},
      {{"model.type=llama", "moe.num_experts=4", "moe.fp8_communication=true",
        "moe.fp8_communication_recipe=tensorwise", "train.device=cuda"},
       "fp8_communication_recipe tensorwise only if device is cpu"},
      {{tp + "2", "parallel.fp8_reduce_scatter=true", "overlap.tensor_pieces=2"},
       "tensor_pieces 0"},
      {{"parallel.fp8_reduce_scatter=true", "model.hidden_size=770", "model.num_attention_heads=5"},
       "tensor_pieces 0 and hidden_size a multiple of 4 with fp8_reduce_scatter"},
      {{"parallel.world_size=4", "parallel.hierarchical_reduction_pieces=2"},
       "ranks_per_host a power of two above 1"},
      {{"parallel.world_size=4", "parallel.hierarchical_reduction_pieces=2",
        "parallel.ranks_per_host=3"},
       "ranks_per_host a power of two above 1"},
      {{"moe.routing_replay=replay"}, "routing_replay_dir to name the folder"},
      {{"model.type=llama", "moe.num_experts=4", "moe.first_dense_layers=12"},
       "first_dense_layers < num_layers"},
      {{"moe.num_experts=4"}, "with experts activation swiglu"},
      {{"model.type=llama", "moe.num_experts=4", "model.parallel_block=true"},
       "with experts activation swiglu"},
      {{"parallel.world_size=2", "parallel.expert_model_parallel_size=2"},
       "expert_model_parallel_size 1 without experts"},
      {{"model.type=llama", "moe.num_experts=6", "parallel.world_size=4",
        "parallel.expert_model_parallel_size=4"},
       "num_experts to be a multiple of expert_model_parallel_size"},
      {{"model.type=llama", "moe.num_experts=4", "moe.ffn_hidden_size=7", tp + "2"},
       "moe.ffn_hidden_size to be a multiple of expert_tensor_parallel_size"},
      {{"model.type=llama", "moe.num_experts=4", "moe.shared_expert_intermediate_size=7",
        "parallel.expert_tensor_parallel_size=1", tp + "2"},
       "shared_expert_intermediate_size to be a multiple"},
      {{"parallel.reduce_scatter_with_fp32_accumulation=true"},
       "zero_stage 2 or 3 with reduce_scatter_with_fp32_accumulation"},
      {{"parallel.zero_stage=3", "model.fp8=e4m3", "model.fp8_param_gather=true"},
       "zero_stage 3 without fp8_param_gather and hierarchical_reduction_pieces"},
      {{"parallel.zero_stage=3", "parallel.hierarchical_reduction_pieces=1",
        "parallel.ranks_per_host=2"},
       "zero_stage 3 without fp8_param_gather and hierarchical_reduction_pieces"},
      {{"optimizer.min_lr=1"}, "min_lr <= lr"},
      {{"optimizer.lr_warmup_iters=1000"}, "lr_warmup_iters < lr_decay_iters"},
      {{"optimizer.lr_decay_style=wsd"}, "with lr_decay_style wsd"},
      {{"optimizer.lr_decay_style=wsd", "optimizer.lr_wsd_decay_iters=901",
        "optimizer.lr_warmup_iters=100"},
       "with lr_decay_style wsd"},
      {{"optimizer.lr_wsd_decay_iters=1"}, "with lr_decay_style wsd"},
      {{"checkpoint.interval=10", "checkpoint.memory_interval=4"},
       "memory_interval to be a multiple or a divisor"},
      {{"checkpoint.start=weights"}, "load to name a checkpoint"},
      {{"control.allow_fewer=true", "control.fewer_after_seconds=600",
        "control.timeout_seconds=600"},
       "fewer_after_seconds < timeout_seconds"},
      {{"checkpoint.allow_changes=data,model"},
       "only tokenizer, data, batch, schedule and optimizer"},
      {{"recompute.granularity=list"}, "ops to be given with granularity list"},
      {{"recompute.ops=attention"}, "ops to be given with granularity list"},
      {{"recompute.whole_layers=true"}, "whole_layers only with granularity full"},
      {{"kernels.fused=false", "train.device=cuda"}, "fused to be true if device is cuda"},
      {{"overlap.symmetric_memory=true"}, "symmetric_memory only if device is cuda"},
      {{"parallel.wire_checksums=true", "train.device=cuda"},
       "wire_checksums only if device is cpu"},
      {{"train.repeat_interval=8", "train.device=cuda"}, "repeat_interval 0 unless device is cpu"},
      {{"model.attention_dropout=0.1", "kernels.fused=false"},
       "attention_dropout 0 unless device is cpu and fused is true"},
      {{"model.hidden_dropout=0.1", "train.device=cuda"}, "hidden_dropout 0 unless device is cpu"},
      {{"model.fp8=hybrid"},
       "fp8 hybrid only if dtype is bfloat16, and e4m3 only if it is float32"},
      {{"model.fp8=e4m3", "model.dtype=bfloat16"}, "and e4m3 only if it is float32"},
      {{"model.fp8=e4m3", "overlap.tensor_pieces=1"}, "and e4m3 only if tensor_pieces is 0 too"},
      {{"model.fp8=hybrid", "model.dtype=bfloat16", "overlap.context_pieces=1"},
       "fp8 only if context_pieces is 0"},
      {{"model.fp8=e4m3", "train.device=cuda"}, "fp8 e4m3 only if device is cpu"},
      {{"model.type=llama", "model.fp8=e4m3", "model.ffn_hidden_size=1002"},
       "with fp8 e4m3 multiples of 4"},
      {{"model.fp8_recipe=rowwise"}, "fp8_recipe rowwise only if fp8 is e4m3"},
      {{"model.fp8=hybrid", "model.dtype=bfloat16", "model.fp8_recipe=rowwise"},
       "fp8_recipe rowwise only if fp8 is e4m3"},
      {{"model.fp8_param_gather=true"}, "fp8_param_gather only if fp8 is e4m3"},
      {{"model.fp8=hybrid", "model.dtype=bfloat16", "model.fp8_param_gather=true"},
       "fp8_param_gather only if fp8 is e4m3"},
      {{"model.fp8=hybrid", "model.dtype=bfloat16", "model.seq_length=1000"},
       "with fp8 hybrid multiples of 16"},
      {{"model.fp8=hybrid", "model.dtype=bfloat16", tp + "2", "overlap.tensor_pieces=64"},
       "with tensor_pieces in a piece of a tensor rank"},
      {{"model.fp8=hybrid", "model.dtype=bfloat16", tp + "2", "model.ffn_hidden_size=1000"},
       "with fp8 hybrid multiples of 16"},
      {{"model.type=llama", "moe.num_experts=4", "model.fp8=hybrid", "model.dtype=bfloat16",
        "moe.ffn_hidden_size=1000"},
       "the widths of qkv, latent vectors, MLP and experts per tensor rank"},
      {{"model.type=llama", "moe.num_experts=4", "model.fp8=hybrid", "model.dtype=bfloat16",
        "moe.shared_expert_intermediate_size=1000"},
       "the widths of qkv, latent vectors, MLP and experts per tensor rank"},
      {{"model.type=llama", "moe.num_experts=4", "model.fp8=hybrid", "model.dtype=bfloat16",
        "moe.shared_expert_intermediate_size=1024", "parallel.replicate_shared_experts=true",
        tp + "2", "model.seq_length=16", "train.micro_batch_size=1"},
       "with replicate_shared_experts on a tensor rank"},
      {{"parallel.world_size=3", tp + "2"}, "world_size to be a multiple"},
      {{"model.type=llama", "moe.num_experts=6", "parallel.world_size=8",
        "parallel.expert_model_parallel_size=3"},
       "the ranks of a stage (world_size / pipeline size) to be a multiple of"},
      {{"parallel.world_size=12", tp + "4", pp + "2", "parallel.expert_tensor_parallel_size=4"},
       "world_size to be a multiple of tensor"},
      {{"model.type=llama", "moe.num_experts=4", "parallel.world_size=6", tp + "2",
        "parallel.expert_model_parallel_size=2"},
       "expert_tensor_parallel_size (0: tensor_model_parallel_size) x expert_model_parallel_size"},
      {{"parallel.world_size=4", "train.micro_batch_size=2", "train.global_batch_size=12"},
       "global_batch_size to be"},
      {{"train.global_batch_size=8", "train.rampup_batch_size=2,2"},
       "rampup_batch_size to be empty, or"},
      {{"train.global_batch_size=8", "train.rampup_batch_size=2,2,0"},
       "rampup_batch_size to be empty, or"},
      {{"train.global_batch_size=8", "train.rampup_batch_size=2,2,4611686018427387905"},
       "rampup_batch_size to be empty, or"},
      {{"train.global_batch_size=8", "train.rampup_batch_size=10,2,60"},
       "START of rampup_batch_size"},
      {{"train.global_batch_size=8", "train.rampup_batch_size=2,4,60"},
       "START of rampup_batch_size"},
      {{"train.global_batch_size=129", "train.rampup_batch_size=1,1,60"},
       "START of rampup_batch_size"},
      {{"train.global_batch_size=8", "train.rampup_batch_size=2,2,60", "parallel.world_size=4"},
       "START and INCREMENT of rampup_batch_size"},
      {{"train.global_batch_size=8", "train.rampup_batch_size=4,2,60", "parallel.world_size=2",
        "train.micro_batch_size=2"},
       "START and INCREMENT of rampup_batch_size"},
      {{pp + "5"}, "num_layers to be a multiple"},
      {{pp + "4", vpp + "2", schedule + "interleaved", "train.global_batch_size=4"},
       "num_layers to be a multiple"},
      {{pp + "12", "parallel.account_for_loss_in_pipeline_split=true"},
       "num_layers to be a multiple"},
      {{pp + "2", "parallel.pipeline_layers=6,5"}, "pipeline_layers to be empty or to have"},
      {{pp + "2", "parallel.pipeline_layers=12"}, "pipeline_layers to be empty or to have"},
      {{pp + "3", "parallel.pipeline_layers=6,0,6"}, "pipeline_layers to be empty or to have"},
      {{tp + "8"}, "num_attention_heads to be a multiple of tensor"},
      {{tp + "2", "parallel.context_parallel_size=4"},
       "num_attention_heads to be a multiple of tensor"},
      {{tp + "4", "model.num_query_groups=6"}, "num_query_groups to be a multiple of tensor"},
      {{"model.num_query_groups=2", "model.seq_length=1023", "parallel.context_parallel_size=3"},
       "a multiple or a divisor of context_parallel_size"},
      {{tp + "2", "model.ffn_hidden_size=1001"}, "ffn_hidden_size to be"},
      {{tp + "2", "model.seq_length=1023"}, "seq_length to be a multiple"},
      {{tp + "2", "overlap.tensor_pieces=3"}, "tensor x context sizes x tensor_pieces"},
      {{"parallel.context_parallel_size=2", "overlap.context_pieces=3"},
       "context size x context_pieces"},
      {{tp + "2", "parallel.context_parallel_size=2", "overlap.tensor_pieces=2",
        "overlap.context_pieces=2"},
       "only one of tensor_pieces and context_pieces"},
      {{"overlap.fused_pairs=true", "overlap.tensor=false"}, "tensor true with fused_pairs"},
      {{"overlap.fused_pairs=true", "overlap.context_pieces=1"}, "no pieces with fused_pairs"},
      {{"model.type=llama", "moe.num_experts=4", "parallel.world_size=2",
        "parallel.expert_model_parallel_size=2", "overlap.expert_pieces=3"},
       "num_experts / expert_model_parallel_size to be a multiple of expert_pieces"},
      {{"model.type=llama", "moe.num_experts=4", "parallel.world_size=2",
        "parallel.expert_model_parallel_size=2", "moe.token_dispatcher_type=allgather",
        "overlap.expert_pieces=3"},
       "expert_model_parallel_size to be a multiple of expert_pieces"},
      {{"model.type=llama", "moe.num_experts=4", "parallel.world_size=2",
        "parallel.expert_model_parallel_size=2", "moe.token_dispatcher_type=allgather",
        "model.seq_length=1022", "train.micro_batch_size=1", "overlap.expert_pieces=8"},
       "the tokens of a rank to be a multiple of expert_pieces / expert_model_parallel_size"},
      {{"model.type=llama", "moe.num_experts=4", "moe.router_force_load_balancing=true",
        "moe.routing_replay=replay", "moe.routing_replay_dir=recorded"},
       "routing_replay none or record with router_force_load_balancing"},
      {{schedule + "1f1c"}, "gpipe, 1f1b, interleaved"},
      {{vpp + "2", schedule + "interleaved"}, "virtual_pipeline_size above 1"},
      {{vpp + "2", pp + "2"}, "virtual_pipeline_size above 1"},
      {{pp + "2", schedule + "interleaved", "train.global_batch_size=3"},
       "a number of micro-batches"},
      {{pp + "2", schedule + "interleaved", "train.global_batch_size=4",
        "train.rampup_batch_size=2,1,60"},
       "a number of micro-batches"},
  };
}

TEST(RulesTest, EveryRuleIsBrokenByAnExampleThatBreaksNoOther) {
  std::set<std::string_view> seen;
  for (const BrokenRule& example : broken_rules()) {
    try {
      (void)parse_config("", "job.toml", example.overrides);
      ADD_FAILURE() << "not refused: " << ::testing::PrintToString(example.overrides);
    } catch (const Error& error) {
      EXPECT_THAT(error.message(), HasSubstr("expected "));
      EXPECT_THAT(error.message(), HasSubstr(example.law));
      EXPECT_EQ(error.message().find('\n'), std::string::npos) << error.message();
      EXPECT_TRUE(error.message().starts_with("--set ")) << error.message();
      for (const Rule& rule : config_rules()) {
        if (error.message().find(rule.law) != std::string::npos) seen.insert(rule.law);
      }
    }
  }
  for (const Rule& rule : config_rules())
    EXPECT_TRUE(seen.contains(rule.law)) << "no example breaks: " << rule.law;
}

TEST(RulesTest, AllBrokenRulesOfAKeyAreReportedTogether) {
  try {
    (void)parse_config(
        "", "job.toml",
        std::vector<std::string>{"model.type=llama", "moe.num_experts=4",
                                 "moe.fp8_communication_recipe=tensorwise", "train.device=cuda"});
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("tensorwise only with fp8_communication"));
    EXPECT_THAT(error.message(), HasSubstr("tensorwise only if device is cpu"));
  }
}

TEST(RulesTest, AShorterRunThanTheWarmUpIsToldWhichKeyHelps) {
  const std::string file = "[train]\ntrain_iters = 1000\n[optimizer]\nlr_warmup_iters = 50\n";
  std::vector<std::string> overrides{"train.train_iters=5"};
  try {
    (void)parse_config(file, "job.toml", overrides);
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("give optimizer.lr_decay_iters the steps"));
  }
  overrides.emplace_back("optimizer.lr_decay_iters=1000");
  EXPECT_NO_THROW((void)parse_config(file, "job.toml", overrides));
}

TEST(RulesTest, KeysOfRulesAreKeysOfTheTableAndNamedOnce) {
  for (const Rule& rule : config_rules()) {
    for (const std::string_view key : rule.keys) {
      EXPECT_NE(find_field(key.substr(0, key.find('.')), key.substr(key.find('.') + 1)), nullptr)
          << key;
      EXPECT_EQ(std::count(rule.keys.begin(), rule.keys.end(), key), 1) << key;
    }
  }
}

TEST(RulesTest, GroupedQueriesAndOddLayoutsThatFitAreAccepted) {
  EXPECT_NO_THROW((void)parse_config(
      "", "job.toml",
      std::vector<std::string>{
          "model.hidden_size=770", "model.head_dim=64", "model.num_query_groups=4",
          "parallel.tensor_model_parallel_size=2", "parallel.context_parallel_size=2",
          "parallel.pipeline_model_parallel_size=2", "parallel.virtual_pipeline_size=3",
          "parallel.pipeline_schedule=my/schedule.txt"}));
  EXPECT_NO_THROW((void)parse_config(
      "", "job.toml",
      std::vector<std::string>{"model.num_query_groups=2", "parallel.tensor_model_parallel_size=2",
                               "parallel.context_parallel_size=2"}))
      << "one key-value head for both ranks of a context group";
}

// ---- round trip: random valid configurations, made by the table
// ------------------------------------------------------

class RandomConfig {
 public:
  explicit RandomConfig(std::uint64_t seed) : stream_(seed, "config") {}

  // Sets one field after the other to a random value and takes back what breaks a rule.
  Config operator()() {
    Config config;
    if (below(2) == 0) {  // keys that only move together
      config.parallel.pipeline_model_parallel_size = 2;
      config.parallel.virtual_pipeline_size = 3;
      if (below(2) == 0) config.parallel.pipeline_layers = {1, 2, 3, 3, 2, 1};
      config.parallel.pipeline_schedule = "interleaved";
      config.train.global_batch_size = 16;
      config.train.rampup_batch_size = {4, 4, 100};
      config.data.split = "8,1,1";
      config.data.data_path = {"a", "b"};
      config.data.data_weights = {1.0, 2.5};
      config.data.validation_sets = {"wiki=c"};
      config.model.lora.targets = {"linear_fc2", "linear_qkv"};
      config.recompute = {RecomputeGranularity::list, {"attention"}};
      config.optimizer.lr_decay_style = LrDecayStyle::wsd;
      config.optimizer.lr_wsd_decay_iters = 10;
      config.checkpoint.allow_changes = {"data", "schedule"};
    }
    // Devices lack kernels of many models, so few random models would fit them.
    const bool on_device = below(3) == 0;
    if (on_device) config.train.device = DeviceKind::cuda;
    if (config.data.data_weights.empty() && below(4) == 0) {
      config.preference.beta = 0.1;
      config.train.micro_batch_size = 2;
      config.train.global_batch_size = 4;
    } else if (!on_device && below(4) == 0) {  // only experts can lie on expert ranks
      config.model.activation = Activation::swiglu;
      config.model.add_bias_linear = false;
      config.model.moe.num_experts = 4;
      config.parallel.expert_model_parallel_size = 2;
      config.parallel.world_size = 4;  // two ranks in each of two stages
      config.train.global_batch_size = 16;
    }
    for (const Field& field : config_fields()) {
      if (below(3) == 0) continue;
      Config changed = config;
      std::visit([&](const auto& access) { set(access, changed); }, field.access);
      if (validate(changed).empty()) config = std::move(changed);
    }
    return config;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return stream_.bits(next_++) % n; }
  std::string text(std::size_t shortest) {
    static const std::vector<std::string> pieces{
        "a", "\"", "\\", "\n", "\t",         "\x01", "\x7f", "#",
        "'", "=",  "]",  "é",  "\U0001F600", " ",    "/",    std::string(1, '\0')};
    std::string text;
    for (std::size_t size = shortest + below(6), i = 0; i < size; ++i)
      text += pieces[below(pieces.size())];
    return text;
  }
  void set(const IntegerAccess& access, Config& config) {
    const auto range =
        static_cast<std::uint64_t>(access.max) - static_cast<std::uint64_t>(access.min);
    const std::uint64_t width = below(2) == 0 ? std::min<std::uint64_t>(range, 16) : range;
    access.get(config) = access.min + static_cast<std::int64_t>(below(width + 1));
  }
  void set(const RealAccess& access, Config& config) {
    const double fraction = stream_.uniform(next_++);
    access.get(config) =
        access.min + (access.max - access.min) * (below(2) == 0 ? fraction : fraction * 1e-9);
  }
  void set(const BooleanAccess& access, Config& config) { access.get(config) = below(2) == 0; }
  void set(const StringAccess& access, Config& config) {
    access.get(config) = text(access.may_be_empty ? 0 : 1);
  }
  void set(const EnumAccess& access, Config& config) {
    const auto names = access.names();
    ASSERT_TRUE(access.set(config, names[below(names.size())]));
  }
  void set(const StringListAccess& access, Config& config) {
    access.get(config).clear();
    for (std::size_t size = below(3), i = 0; i < size; ++i) access.get(config).push_back(text(1));
  }
  void set(const IntegerListAccess& access, Config& config) {
    access.get(config).clear();
    for (std::size_t size = below(3), i = 0; i < size; ++i) {
      access.get(config).push_back(static_cast<std::int64_t>(stream_.bits(next_++) >> 1));
    }
  }

  void set(const RealListAccess& access, Config& config) {
    access.get(config).clear();
    for (std::size_t size = below(3), i = 0; i < size; ++i)
      access.get(config).push_back(1e-9 + 1e9 * stream_.uniform(next_++));
  }

  PhiloxStream stream_;
  std::uint64_t next_ = 0;
};

TEST(ToTomlTest, EveryValidConfigurationReadsBackAsItsResolvedSelf) {
  std::set<std::string> varied;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const Config config = RandomConfig(seed)();
    const std::string text = to_toml(config);
    const Config back = parse_config(text, "resolved.toml");
    ASSERT_EQ(back, resolve(config)) << "seed " << seed << "\n" << text;
    ASSERT_EQ(parse_config(to_toml(back), "resolved.toml"), back) << "seed " << seed;
    for (const Field& field : config_fields()) {
      if (toml_value(field, config) != toml_value(field, Config{})) varied.insert(full_name(field));
    }
  }
  // The property says something about a field only if the field took other values than its default.
  for (const Field& field : config_fields())
    EXPECT_TRUE(varied.contains(full_name(field))) << full_name(field);
}

// ---- what is shipped
// ---------------------------------------------------------------------------------------------------

TEST(ShippedConfigsTest, AllAreValidAndMeanWhatTheySay) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(repository / "configs")) {
    EXPECT_NO_THROW((void)load_config(entry.path())) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 6);
  const Config small = load_config(repository / "configs/gpt2-124m.toml");
  EXPECT_EQ(padded_vocab_size(small), 50304);
  EXPECT_EQ(tokens_per_step(small), 4096);
  const Config large = load_config(repository / "configs/megascale-175b.toml");
  EXPECT_EQ(data_parallel_size(large), 192);
  EXPECT_EQ(num_micro_batches(large), 32);
  const Config largest = load_config(repository / "configs/megascale-530b.toml");
  EXPECT_EQ(num_micro_batches(largest), 280);
}

TEST(DerivedTest, LayersOfChunksAreListedOrDividedWithEmbeddingAndLoss) {
  using Layers = std::vector<std::int64_t>;
  const auto layers = [](std::vector<std::string> settings) {
    settings.emplace_back("model.num_layers=14");
    return layers_of_chunks(parse_config("", "test", settings));
  };
  const std::string two = "parallel.pipeline_model_parallel_size=2",
                    embedding = "parallel.account_for_embedding_in_pipeline_split=true",
                    loss = "parallel.account_for_loss_in_pipeline_split=true";
  EXPECT_EQ(layers({}), Layers{14});
  EXPECT_EQ(layers({two}), (Layers{7, 7}));
  EXPECT_EQ(layers({two, embedding, loss}), (Layers{7, 7}));
  EXPECT_EQ(layers({"parallel.pipeline_model_parallel_size=4", embedding, loss}),
            (Layers{3, 4, 4, 3}));
  EXPECT_EQ(layers({"parallel.pipeline_model_parallel_size=3", loss}), (Layers{5, 5, 4}));
  EXPECT_EQ(
      layers({two, "parallel.virtual_pipeline_size=2", "parallel.pipeline_schedule=interleaved",
              "train.global_batch_size=2", "parallel.pipeline_layers=0,9,4,1"}),
      (Layers{0, 9, 4, 1}));
}

TEST(ConfigurationReferenceTest, TheDocumentIsWhatTheTableSays) {
  const auto path = repository / "docs/configuration.md";
  if (environment_variable("MEGASCALE_WRITE_DOCS") != nullptr)
    write_text_atomically(path, configuration_reference());
  EXPECT_EQ(read_text(path), configuration_reference())
      << "write it anew: MEGASCALE_WRITE_DOCS=1 test_config "
         "--gtest_filter='ConfigurationReferenceTest.*'";
}

}  // namespace
}  // namespace megascale
