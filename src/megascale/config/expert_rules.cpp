#include "megascale/config/expert_rules.h"

#include "megascale/config/derived.h"

namespace megascale {
namespace {

bool routed(const Config& c) { return c.model.moe.num_experts > 0; }
bool cuts_experts(const Config& c) {
  return cuts_experts(c.model.moe, c.overlap.expert_pieces, c.parallel.expert_model_parallel_size);
}
bool gathers(const Config& c) {
  return gathers_tokens(c.model.moe, c.parallel.expert_model_parallel_size);
}

// How many experts a token has, and of which groups.
std::vector<Rule> group_rules() {
  return {
      {{"moe.router_topk", "moe.num_experts"},
       "router_topk <= num_experts",
       [](const Config& c) {
         return !routed(c) || c.model.moe.router_topk <= c.model.moe.num_experts;
       }},
      {{"moe.router_num_groups", "moe.num_experts"},
       "moe.num_experts to be a multiple of router_num_groups, so that each group has as many "
       "experts",
       [](const Config& c) {
         const std::int64_t groups = c.model.moe.router_num_groups;
         return !routed(c) || groups == 0 || c.model.moe.num_experts % groups == 0;
       }},
      {{"moe.router_group_topk", "moe.router_num_groups"},
       "router_group_topk from 1 to router_num_groups, or 0 without groups",
       [](const Config& c) {
         const MoeConfig& moe = c.model.moe;
         return !routed(c) || (moe.router_group_topk <= moe.router_num_groups &&
                               (moe.router_group_topk > 0) == (moe.router_num_groups > 0));
       }},
      {{"moe.router_topk", "moe.router_group_topk", "moe.router_num_groups", "moe.num_experts"},
       "router_topk between router_group_topk and the number of experts in that many groups",
       [](const Config& c) {
         const MoeConfig& moe = c.model.moe;
         // Other rules refuse these.
         if (!routed(c) || moe.router_group_topk == 0 ||
             moe.router_group_topk > moe.router_num_groups ||
             moe.num_experts % moe.router_num_groups != 0)
           return true;
         return moe.router_topk >= moe.router_group_topk &&
                moe.router_topk <=
                    moe.router_group_topk * (moe.num_experts / moe.router_num_groups);
       }},
      {{"moe.router_group_best", "moe.router_topk", "moe.router_num_groups", "moe.num_experts"},
       "router_group_best at most router_topk and the number of experts in a group, or 0 without "
       "groups",
       [](const Config& c) {
         const MoeConfig& moe = c.model.moe;
         return !routed(c) || moe.router_group_best == 0 ||
                (moe.router_num_groups > 0 && moe.router_group_best <= moe.router_topk &&
                 moe.router_group_best <= moe.num_experts / moe.router_num_groups);
       }},
  };
}

}  // namespace

std::vector<Rule> expert_choice_rules() {
  std::vector<Rule> rules = group_rules();
  const std::vector<Rule> others{
      {{"moe.shared_expert_gate", "moe.shared_expert_intermediate_size"},
       "shared_expert_intermediate_size above 0 with shared_expert_gate",
       [](const Config& c) {
         return !routed(c) || !c.model.moe.shared_expert_gate ||
                c.model.moe.shared_expert_intermediate_size > 0;
       }},
      {{"moe.device_groups", "moe.num_experts"},
       "moe.num_experts to be a multiple of device_groups, so that each group has as many experts",
       [](const Config& c) {
         const std::int64_t groups = c.model.moe.device_groups;
         return !routed(c) || groups == 0 || c.model.moe.num_experts % groups == 0;
       }},
      {{"moe.device_aux_loss_coeff", "moe.communication_aux_loss_coeff", "moe.device_groups"},
       "device_groups above 0 for device_aux_loss_coeff and communication_aux_loss_coeff, the "
       "losses that balance groups",
       [](const Config& c) {
         const MoeConfig& moe = c.model.moe;
         return !routed(c) || moe.device_groups > 0 ||
                (moe.device_aux_loss_coeff == 0 && moe.communication_aux_loss_coeff == 0);
       }},
      {{"moe.expert_capacity_factor"},
       "expert_capacity_factor 0 or at least 1: a group must keep the mean",
       [](const Config& c) {
         const double factor = c.model.moe.expert_capacity_factor;
         return factor == 0 || factor >= 1;
       }},
      {{"moe.capacity_exempt_share", "moe.expert_capacity_factor"},
       "capacity_exempt_share 0 without expert_capacity_factor: nothing is dropped",
       [](const Config& c) {
         return c.model.moe.capacity_exempt_share == 0 || c.model.moe.expert_capacity_factor > 0;
       }},
      {{"moe.rows_bound"},
       "rows_bound 0 or at least 1: there must be room for the mean",
       [](const Config& c) { return c.model.moe.rows_bound == 0 || c.model.moe.rows_bound >= 1; }},
  };
  rules.insert(rules.end(), others.begin(), others.end());
  return rules;
}

std::vector<Rule> expert_combination_rules() {
  return {
      {{"moe.fp8_communication", "model.hidden_size"},
       "hidden_size to be a multiple of 4 with fp8_communication",
       [](const Config& c) {
         return !routed(c) || !c.model.moe.fp8_communication || c.model.hidden_size % 4 == 0;
       }},
      {{"moe.rows_overflow", "overlap.expert_pieces", "moe.token_dispatcher_type"},
       "rows_overflow stop where tokens are gathered in pieces: each piece has memory of its own",
       [](const Config& c) {
         return c.model.moe.rows_overflow == RowsOverflow::stop || !cuts_experts(c) || !gathers(c);
       }},
      {{"moe.fp8_communication", "overlap.tensor_pieces"},
       "tensor_pieces 0 with fp8_communication",
       [](const Config& c) {
         return !routed(c) || !c.model.moe.fp8_communication || c.overlap.tensor_pieces == 0;
       }},
      {{"moe.fp8_communication_recipe", "moe.fp8_communication"},
       "fp8_communication_recipe tensorwise only with fp8_communication",
       [](const Config& c) {
         return c.model.moe.fp8_communication_recipe == Fp8CommunicationRecipe::blockwise ||
                c.model.moe.fp8_communication;
       }},
      {{"moe.fp8_communication_recipe", "train.device"},
       "fp8_communication_recipe tensorwise only if device is cpu: kernels of devices have no such "
       "scale",
       [](const Config& c) {
         return c.model.moe.fp8_communication_recipe == Fp8CommunicationRecipe::blockwise ||
                c.train.device == DeviceKind::cpu;
       }},
      {{"moe.router_force_load_balancing", "moe.routing_replay"},
       "routing_replay none or record with router_force_load_balancing: the experts of a token are "
       "either recorded or in turn",
       [](const Config& c) {
         return !c.model.moe.router_force_load_balancing ||
                c.model.moe.routing_replay != RoutingReplay::replay;
       }},
      {{"moe.routing_replay", "moe.routing_replay_dir"},
       "routing_replay_dir to name the folder of recorded routes with routing_replay replay",
       [](const Config& c) {
         return c.model.moe.routing_replay != RoutingReplay::replay ||
                !c.model.moe.routing_replay_dir.empty();
       }},
      {{"moe.first_dense_layers", "moe.num_experts", "model.num_layers"},
       "first_dense_layers < num_layers with experts",
       [](const Config& c) {
         return !routed(c) || c.model.moe.first_dense_layers < c.model.num_layers;
       }},
      {{"moe.num_experts", "model.activation", "model.add_bias_linear", "model.parallel_block"},
       "with experts activation swiglu, add_bias_linear false and parallel_block false",
       [](const Config& c) {
         const ModelConfig& m = c.model;
         return !routed(c) ||
                (m.activation == Activation::swiglu && !m.add_bias_linear && !m.parallel_block);
       }},
  };
}

std::vector<Rule> expert_division_rules() {
  return {
      {{"overlap.expert_pieces", "moe.token_dispatcher_type", "parallel.expert_model_parallel_size",
        "moe.router_topk"},
       "where tokens are gathered, expert_model_parallel_size to be a multiple of expert_pieces, "
       "so "
       "that each piece has the tokens of equally many ranks; or the other way round, so that the "
       "tokens of each rank are cut into equally many parts",
       [](const Config& c) {
         const std::int64_t ranks = c.parallel.expert_model_parallel_size,
                            pieces = c.overlap.expert_pieces;
         return !cuts_experts(c) || !gathers(c) || ranks % pieces == 0 || pieces % ranks == 0;
       }},
      {{"overlap.expert_pieces", "train.micro_batch_size", "model.seq_length",
        "parallel.expert_model_parallel_size", "parallel.tensor_model_parallel_size",
        "parallel.context_parallel_size"},
       "where tokens are gathered in more pieces than there are expert ranks, the tokens of a rank "
       "to be a multiple of expert_pieces / expert_model_parallel_size",
       [](const Config& c) {
         const std::int64_t parts = c.overlap.expert_pieces / c.parallel.expert_model_parallel_size;
         return !cuts_experts(c) || !gathers(c) || parts < 2 ||
                tokens_of_expert_rank(c) % parts == 0;
       }},
      {{"overlap.expert_pieces", "moe.token_dispatcher_type", "parallel.expert_model_parallel_size",
        "moe.router_topk", "moe.num_experts"},
       "num_experts / expert_model_parallel_size to be a multiple of expert_pieces where rows are "
       "sent by alltoall: each piece has equally many experts of a rank",
       [](const Config& c) {
         return !cuts_experts(c) || gathers(c) ||
                c.model.moe.num_experts / c.parallel.expert_model_parallel_size %
                        c.overlap.expert_pieces ==
                    0;
       }},
      {{"parallel.expert_model_parallel_size", "moe.num_experts"},
       "expert_model_parallel_size 1 without experts (num_experts 0): there are none to divide",
       [](const Config& c) { return routed(c) || c.parallel.expert_model_parallel_size == 1; }},
      {{"moe.num_experts", "parallel.expert_model_parallel_size"},
       "num_experts to be a multiple of expert_model_parallel_size",
       [](const Config& c) {
         return c.model.moe.num_experts % c.parallel.expert_model_parallel_size == 0;
       }},
      {{"parallel.expert_tensor_parallel_size", "parallel.tensor_model_parallel_size",
        "moe.ffn_hidden_size"},
       "moe.ffn_hidden_size to be a multiple of expert_tensor_parallel_size (0 means "
       "tensor_model_parallel_size), since these ranks divide the width of an expert",
       [](const Config& c) {
         return !routed(c) || c.model.moe.ffn_hidden_size % expert_tensor_parallel_size(c) == 0;
       }},
      {{"moe.shared_expert_intermediate_size", "parallel.tensor_model_parallel_size"},
       "shared_expert_intermediate_size to be a multiple of tensor_model_parallel_size",
       [](const Config& c) {
         return c.model.moe.shared_expert_intermediate_size %
                    c.parallel.tensor_model_parallel_size ==
                0;
       }},
  };
}

}  // namespace megascale
