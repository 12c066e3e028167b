#include "megascale/config/course_rules.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "megascale/config/changes.h"
#include "megascale/config/data_sets.h"
#include "megascale/config/derived.h"

namespace megascale {
namespace {

bool decays(const Config& c) { return c.optimizer.lr_decay_style != LrDecayStyle::constant; }
bool is_wsd(const Config& c) { return c.optimizer.lr_decay_style == LrDecayStyle::wsd; }
// Most often train_iters was shortened on the command line, and the file has the warm-up.
constexpr std::string_view kShortRun =
    "if train_iters was shortened for a trial, give optimizer.lr_decay_iters the steps of the "
    "whole "
    "schedule: the trial then is the beginning of the whole run";

bool may_be_allowed(const std::string& change) {
  return std::any_of(kAllowableChanges.begin(), kAllowableChanges.end(),
                     [&](ChangeKind kind) { return to_string(kind) == change; });
}

}  // namespace

std::vector<Rule> data_rules() {
  return {
      {{"data.split"},
       "one to three shares such as \"969,30,1\": none negative, the first above 0",
       [](const Config& c) {
         const auto shares = parse_split(c.data.split);
         return shares && shares->front() > 0;
       }},
      {{"train.eval_interval", "data.data_path", "data.valid_data_path", "data.validation_sets",
        "data.split"},
       "valid_data_path, validation_sets or a validation share in split if eval_interval is not 0",
       [](const Config& c) {
         // The rule above reports a broken split.
         return c.train.eval_interval == 0 || c.data.data_path.empty() ||
                has_main_validation(c.data) || !c.data.validation_sets.empty() ||
                !parse_split(c.data.split);
       }},
      {{"data.data_path", "data.data_weights"},
       "only prefixes in data_path",
       [](const Config& c) { return !has_weights_between(c.data.data_path); },
       "weights have a key of their own: data_weights = [0.7, 0.3]"},
      {{"data.data_weights", "data.data_path"},
       "one weight in data_weights for each prefix of data_path, or none",
       [](const Config& c) {
         return c.data.data_weights.empty() ||
                c.data.data_weights.size() == c.data.data_path.size();
       }},
      {{"data.data_weights"},
       "each of data_weights to be at least a millionth of their sum",
       [](const Config& c) { return has_least_shares(c.data.data_weights); }},
      {{"data.data_path", "data.data_weights"},
       "every prefix of data_path once with data_weights",
       [](const Config& c) {
         return c.data.data_weights.empty() || !has_duplicates(c.data.data_path);
       },
       "a larger weight repeats a set more often"},
      {{"data.split_each_set", "data.data_weights"},
       "split_each_set true with data_weights",
       [](const Config& c) { return c.data.data_weights.empty() || c.data.split_each_set; }},
      {{"data.validation_sets"},
       "NAME=PREFIX in validation_sets, each name and each prefix once; a name has 1 to 32 "
       "letters, "
       "digits, '_' or '-'",
       [](const Config& c) { return parse_validation_sets(c.data.validation_sets).has_value(); }},
      {{"data.whole_documents", "data.packed_documents"},
       "whole_documents only with packed_documents: documents of a sequence must not see each "
       "other",
       [](const Config& c) { return !c.data.whole_documents || c.data.packed_documents; }},
  };
}

std::vector<Rule> learning_rate_rules() {
  return {
      {{"optimizer.min_lr", "optimizer.lr"},
       "min_lr <= lr",
       [](const Config& c) { return c.optimizer.min_lr <= c.optimizer.lr; }},
      {{"optimizer.lr_warmup_iters", "optimizer.lr_decay_iters", "optimizer.lr_decay_style",
        "train.train_iters"},
       "lr_warmup_iters < lr_decay_iters",
       [](const Config& c) {
         return !decays(c) || c.optimizer.lr_warmup_iters < c.optimizer.lr_decay_iters;
       },
       kShortRun},
      {{"optimizer.lr_wsd_decay_iters", "optimizer.lr_decay_style", "optimizer.lr_decay_iters",
        "optimizer.lr_warmup_iters", "train.train_iters"},
       "1 <= lr_wsd_decay_iters <= lr_decay_iters - lr_warmup_iters with lr_decay_style wsd, and "
       "lr_wsd_decay_iters 0 with the other styles",
       [](const Config& c) {
         const OptimizerConfig& o = c.optimizer;
         if (!is_wsd(c)) return o.lr_wsd_decay_iters == 0;
         if (o.lr_warmup_iters >= o.lr_decay_iters) return true;  // the rule above reports it
         return o.lr_wsd_decay_iters >= 1 &&
                o.lr_wsd_decay_iters <= o.lr_decay_iters - o.lr_warmup_iters;
       },
       kShortRun},
  };
}

std::vector<Rule> restart_rules() {
  return {
      {{"checkpoint.memory_interval", "checkpoint.interval"},
       "memory_interval to be a multiple or a divisor of interval, unless one of them is 0 or auto",
       [](const Config& c) {
         const auto [less, more] = std::minmax(c.checkpoint.interval, c.checkpoint.memory_interval);
         return less <= 0 || more % less == 0;
       }},
      {{"checkpoint.start", "checkpoint.load"},
       "load to name a checkpoint if start is weights",
       [](const Config& c) {
         return c.checkpoint.start == CheckpointStart::resume || !c.checkpoint.load.empty();
       }},
      {{"checkpoint.allow_changes"},
       "only tokenizer, data, batch, schedule and optimizer in allow_changes",
       [](const Config& c) {
         return std::all_of(c.checkpoint.allow_changes.begin(), c.checkpoint.allow_changes.end(),
                            may_be_allowed);
       }},
      {{"control.fewer_after_seconds", "control.timeout_seconds", "control.allow_fewer"},
       "fewer_after_seconds < timeout_seconds with allow_fewer, since the job ends after that",
       [](const Config& c) {
         return !c.control.allow_fewer || c.control.fewer_after_seconds < c.control.timeout_seconds;
       }},
  };
}

std::vector<Rule> reduction_rules() {
  return {
      {{"parallel.reduce_scatter_with_fp32_accumulation", "parallel.zero_stage"},
       "zero_stage 2 or 3 with reduce_scatter_with_fp32_accumulation",
       [](const Config& c) {
         return !c.parallel.reduce_scatter_with_fp32_accumulation || c.parallel.zero_stage >= 2;
       }},
      {{"parallel.zero_stage", "model.fp8_param_gather", "parallel.hierarchical_reduction_pieces"},
       "zero_stage 3 without fp8_param_gather and hierarchical_reduction_pieces",
       [](const Config& c) {
         return c.parallel.zero_stage != 3 ||
                (!c.model.fp8_param_gather && c.parallel.hierarchical_reduction_pieces == 0);
       }},
      {{"parallel.fp8_reduce_scatter", "overlap.tensor_pieces", "model.hidden_size"},
       "tensor_pieces 0 and hidden_size a multiple of 4 with fp8_reduce_scatter",
       [](const Config& c) {
         return !c.parallel.fp8_reduce_scatter ||
                (c.overlap.tensor_pieces == 0 && c.model.hidden_size % 4 == 0);
       }},
      {{"parallel.hierarchical_reduction_pieces", "parallel.ranks_per_host"},
       "ranks_per_host a power of two above 1 with hierarchical_reduction_pieces",
       [](const Config& c) {
         const std::int64_t ranks = c.parallel.ranks_per_host;
         return c.parallel.hierarchical_reduction_pieces == 0 ||
                (ranks > 1 && (ranks & (ranks - 1)) == 0);
       }},
  };
}

std::vector<Rule> recompute_rules() {
  return {
      {{"recompute.ops", "recompute.granularity"},
       "ops to be given with granularity list, and only with it",
       [](const Config& c) {
         return c.recompute.ops.empty() == (c.recompute.granularity != RecomputeGranularity::list);
       }},
      {{"recompute.whole_layers", "recompute.granularity"},
       "whole_layers only with granularity full",
       [](const Config& c) {
         return !c.recompute.whole_layers || c.recompute.granularity == RecomputeGranularity::full;
       }},
  };
}

}  // namespace megascale
