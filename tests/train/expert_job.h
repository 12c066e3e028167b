#ifndef MEGASCALE_TESTS_TRAIN_EXPERT_JOB_H_
#define MEGASCALE_TESTS_TRAIN_EXPERT_JOB_H_

#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "megascale/base/step_numbers.h"
#include "megascale/comm/local/local_job.h"
#include "megascale/engine/rank.h"
#include "megascale/engine/state_tensors.h"
#include "megascale/job/kernel_spec.h"
#include "megascale/plan/bind.h"
#include "megascale/plan/build.h"
#include "train/expert_model.h"

// Jobs of ExpertModel on any layout: planned and verified, and run by ranks that are threads.
namespace megascale::testing {

struct ExpertLayout {
  const char* name = "";
  graph::AxisSizes sizes;
  std::uint32_t zero_stage = 0;
  OptimizerKind optimizer = OptimizerKind::adamw;
  DType dtype = DType::float32;  // of all parameters but routers, which are float32
};

// Weights and moments of the whole model by element. An element that no rank has, or that is saved
// by none or several, is NaN.
struct WholeState {
  std::map<std::string, std::vector<float>> weight, first_moment, second_moment;
  friend bool operator==(const WholeState&, const WholeState&) = default;
};

// An element of a part's box, counted row by row, as element of the whole tensor.
inline std::uint64_t global_of(const engine::StatePart& part, std::uint64_t element) {
  std::uint64_t global = 0, stride = 1;
  for (std::size_t d = part.shape.size(); d-- > 0;) {
    const auto extent = static_cast<std::uint64_t>(part.shape[d]);
    global += (static_cast<std::uint64_t>(part.offset[d]) + element % extent) * stride;
    element /= extent;
    stride *= static_cast<std::uint64_t>(part.global_shape[d]);
  }
  return global;
}

// What the ranks of a job save together.
inline WholeState gather(const std::vector<std::vector<engine::StatePart>>& by_rank) {
  WholeState whole;
  std::map<std::string, std::vector<int>> times_saved;
  for (const auto& parts : by_rank) {
    for (const engine::StatePart& part : parts) {
      std::uint64_t numel = 1;
      for (const std::int64_t extent : part.global_shape)
        numel *= static_cast<std::uint64_t>(extent);
      auto& times = times_saved[part.name];
      times.resize(numel);
      for (auto* values : {&whole.weight, &whole.first_moment, &whole.second_moment})
        (*values)[part.name].resize(numel);
      if (!part.saved) continue;
      for (std::uint64_t i = 0; i < part.weight.size(); ++i) {
        const std::uint64_t element = global_of(part, part.begin + i);
        ++times[element];
        whole.weight[part.name][element] = part.weight[i];
        whole.first_moment[part.name][element] = part.first_moment[i];
        whole.second_moment[part.name][element] = part.second_moment[i];
      }
    }
  }
  for (const auto& [name, times] : times_saved) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (times[i] != 1) whole.weight[name][i] = std::numeric_limits<float>::quiet_NaN();
    }
  }
  return whole;
}

// Throws Error where the plans are wrong.
class ExpertPlans {
 public:
  explicit ExpertPlans(const ExpertLayout& layout) : grid_(layout.sizes) {
    const graph::AxisSizes& axes = grid_.sizes();
    const std::uint32_t stages = axes[graph::Axis::pipeline];
    std::vector<const graph::Program*> all;
    for (std::uint32_t s = 0; s < stages; ++s) {
      programs_.push_back(ExpertModel::build(axes, s, layout.dtype));
    }
    for (const graph::Program& program : programs_) all.push_back(&program);
    const auto numbers = plan::number_parameters(all);
    const auto events =
        parallel::events(parallel::one_forward_one_backward(stages, ExpertModel::kMicroBatches));
    for (std::uint32_t s = 0; s < stages; ++s) {
      const std::vector<const graph::Program*> chunks{&programs_[s]};
      states_.push_back(plan::place_model_state(
          chunks, numbers,
          {.buckets = 4,
           .staging_nbytes = plan::batch_layout(chunks, ExpertModel::kMicroBatches).nbytes(),
           .axes = axes,
           .shard_optimizer = layout.zero_stage > 0}));
      built_.push_back(plan::build_train_plan(
          {.chunks = chunks,
           .state = &states_[s],
           .axes = axes,
           .stage = s,
           .micro_batches = ExpertModel::kMicroBatches,
           .events = events[s],
           .zero_stage = layout.zero_stage,
           .prefetch = false},
          optimizer::define({.name = layout.optimizer}),
          [](const plan::PlanOp& op) { return job::scratch_bytes(op, {}); }));
    }
    verification_ = verify();
    for (const auto& violation : verification_.violations) ADD_FAILURE() << violation.message;
    if (!verification_.ok()) throw Error(ErrorCode::failed, "the plan is wrong");
  }

  [[nodiscard]] const parallel::RankGrid& grid() const { return grid_; }
  [[nodiscard]] const plan::BuiltPlan& built(std::uint32_t rank) const {
    return built_[stage_of(rank)];
  }
  [[nodiscard]] const plan::ModelState& state_of(std::uint32_t rank) const {
    return states_[stage_of(rank)];
  }
  [[nodiscard]] const plan::StepPlan& plan_of(std::uint32_t rank) const {
    return built(rank).expansion.plan;
  }

  // By rank; ranks of a stage have one object.
  [[nodiscard]] std::vector<std::shared_ptr<const plan::StepPlan>> plans_by_rank() const {
    std::vector<std::shared_ptr<const plan::StepPlan>> plans;
    for (const plan::BuiltPlan& built : built_) {
      plans.insert(plans.end(), grid_.stage_size(),
                   std::make_shared<const plan::StepPlan>(built.expansion.plan));
    }
    return plans;
  }

 protected:
  // Of few ranks rank by rank, so that each has a verified plan to run.
  [[nodiscard]] plan::Verification verify() const {
    constexpr std::uint32_t kMostUnfolded = 16;
    const auto plans = plans_by_rank();
    if (plans.size() > kMostUnfolded) return plan::verify_folded(plans, grid_);
    std::vector<plan::RankPlan> ranks;
    for (std::uint32_t r = 0; r < plans.size(); ++r)
      ranks.push_back({plans[r], plan::bind(*plans[r], grid_, r)});
    return plan::verify(std::move(ranks));
  }
  [[nodiscard]] std::uint32_t stage_of(std::uint32_t rank) const {
    return rank / grid_.stage_size();
  }

  parallel::RankGrid grid_;
  std::vector<graph::Program> programs_;  // by stage, as the next two
  std::vector<plan::ModelState> states_;
  std::vector<plan::BuiltPlan> built_;
  plan::Verification verification_;
};

class ExpertJob : public ExpertPlans {
 public:
  explicit ExpertJob(const ExpertLayout& layout)
      : ExpertPlans(layout), wakeups_(grid_.world_size()), local_(pointers()) {
    for (std::uint32_t r = 0; r < grid_.world_size(); ++r) ranks_.push_back(make_rank(r));
  }

  [[nodiscard]] std::vector<engine::StatePart> parts(std::uint32_t rank) {
    return engine::state_parts(ranks_[rank]->engine->memory().state(state_of(rank)), state_of(rank),
                               grid_.sizes(), grid_.coordinates(rank));
  }
  void initialize(std::int64_t seed) {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r)
      engine::initialize(parts(r), state_of(r), seed);
  }
  // One training step on all ranks; gradient norms by rank.
  std::vector<double> step() {
    poison_shards();
    std::vector<std::thread> threads;
    std::vector<std::string> errors(ranks_.size());
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      threads.emplace_back([&, r] {
        try {
          engine::set_threads(1);
          ranks_[r]->engine->runner().run_step(ranks_[r]->plan, {});
        } catch (const Error& error) {
          errors[r] = error.message();
          local_.abort(error);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::vector<double> norms;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      if (!errors[r].empty()) throw Error(ErrorCode::failed, errors[r]);
      norms.push_back(ranks_[r]
                          ->engine->read_one<UpdateScalars>(plan_of(r).buffer(built(r).scalars))
                          .gradient_norm);
    }
    return norms;
  }
  // Adam's t, which checkpoints hold beside the tensors.
  void set_updates(std::int64_t updates) {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      ranks_[r]->engine->write(plan_of(r).buffer(state_of(r).update_state),
                               UpdateState{.updates = updates});
    }
  }

  [[nodiscard]] WholeState whole() {
    std::vector<std::vector<engine::StatePart>> by_rank;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) by_rank.push_back(parts(r));
    return gather(by_rank);
  }
  // Calls visit(part, number in the part, element of the whole tensor) for all that the ranks hold.
  template <class Visit>
  void for_each_element(const Visit& visit) {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      for (const engine::StatePart& part : parts(r)) {
        for (std::uint64_t i = 0; i < part.weight.size(); ++i)
          visit(part, i, global_of(part, part.begin + i));
      }
    }
  }

 private:
  template <class Body>
  class TestFunction final : public TaskFunction {
   public:
    explicit TestFunction(Body body) : body_(std::move(body)) {}
    const Error* run(const TaskArguments& a) noexcept override {
      body_(a);
      return nullptr;
    }

   private:
    Body body_;
  };

  struct Member {
    std::unique_ptr<engine::Rank> engine;
    std::vector<std::unique_ptr<TaskFunction>> functions;
    std::size_t plan = 0;
    std::int64_t next_step = 0;
  };

  std::vector<Wakeup*> pointers() {
    std::vector<Wakeup*> result;
    for (Wakeup& wakeup : wakeups_) result.push_back(&wakeup);
    return result;
  }

  // The tokens of a micro-batch whose gradients this rank has of a parameter: those of all ranks of
  // the stage that have its place in the groups over which the gradients are summed.
  [[nodiscard]] std::vector<std::int64_t> tokens_of(const graph::Parameter& parameter,
                                                    std::uint32_t rank) const {
    std::vector<std::int64_t> tokens;
    const std::int64_t ranks = grid_.stage_size();
    for (std::int64_t token = 0; token < ExpertModel::kTokens; ++token) {
      const auto home = static_cast<std::uint32_t>(token * ranks / ExpertModel::kTokens);
      const graph::AxisSet axes = parameter.summed_over;
      if (axes.group_index(grid_.sizes(), grid_.coordinates(home)) ==
          axes.group_index(grid_.sizes(), grid_.coordinates(rank))) {
        tokens.push_back(token);
      }
    }
    return tokens;
  }

  // What this rank adds to the gradient of each parameter.
  struct Contribution {
    const graph::Parameter* parameter = nullptr;
    std::vector<std::uint64_t> elements;
    std::vector<std::int64_t> tokens;
    std::uint64_t salt = 0;
  };
  static float gradient_of(const Contribution& c, std::uint64_t element, std::uint32_t micro_batch,
                           float weight) {
    int sum = 0;
    for (const std::int64_t token : c.tokens) {
      std::uint64_t h = (element + 1) * 0x9e37'79b9'7f4a'7c15U + c.salt;
      h ^= (static_cast<std::uint64_t>(token) * 2 + micro_batch + 1) * 0xbf58'476d'1ce4'e5b9U;
      h = (h ^ (h >> 29U)) * 0x94d0'49bb'1331'11ebU;
      sum += static_cast<int>((h >> 33U) % 5) - 2;
    }
    return static_cast<float>(sum) * (weight > 0 ? 0.25F : 0.5F);
  }

  std::unique_ptr<Member> make_rank(std::uint32_t r) {
    auto member = std::make_unique<Member>();
    member->engine = std::make_unique<engine::Rank>(engine::Rank::Options{
        .arena_nbytes = built(r).memory.total, .kernels = {}, .wakeup = &wakeups_[r]});
    std::map<const std::byte*, Contribution> contributions;
    for (const plan::ParameterPlace& place : state_of(r).parameters) {
      const auto& buffer =
          state_of(r).buffers[plan::index(state_of(r).buckets[place.bucket].parameters)];
      std::uint64_t salt = 0;
      for (const char c : place.parameter.name) salt = salt * 31 + static_cast<unsigned char>(c);
      contributions[member->engine->memory().arena().data() + buffer.offset +
                    place.begin * sizeof(float)] = {
          .parameter = &place.parameter,
          .elements = global_elements(place, grid_.sizes(), grid_.coordinates(r)),
          .tokens = tokens_of(place.parameter, r),
          .salt = salt};
    }
    std::map<std::string, TaskFunction*> own;
    const auto add = [&](const char* name, auto body) {
      member->functions.push_back(std::make_unique<TestFunction<decltype(body)>>(std::move(body)));
      own[name] = member->functions.back().get();
    };
    add("load_batch", [next = &member->next_step](const TaskArguments& a) {
      *reinterpret_cast<StepNumbers*>(a.operands[0]) = {(*next)++, 1e-2};
    });
    add("test_source", [](const TaskArguments&) {});
    add("test_layer", [](const TaskArguments&) {});
    add("test_layer_backward", [contributions](const TaskArguments& a) {
      for (std::size_t w = 0; w < ExpertModel::kWeights; ++w) {
        const Contribution& c = contributions.at(a.operands[ExpertModel::weight(w)]);
        const auto* weights = reinterpret_cast<const float*>(a.operands[ExpertModel::weight(w)]);
        auto* gradients = reinterpret_cast<float*>(a.operands[ExpertModel::gradient(w)]);
        for (std::size_t i = 0; i < c.elements.size(); ++i) {
          const float value = gradient_of(c, c.elements[i], a.micro_batch, weights[i]);
          gradients[i] = a.first ? value : gradients[i] + value;
        }
      }
    });
    const double tokens = static_cast<double>(ExpertModel::kTokens) /
                          grid_.sizes()[graph::Axis::context] / grid_.sizes()[graph::Axis::data];
    add("test_loss", [tokens](const TaskArguments& a) {
      auto* loss = reinterpret_cast<double*>(a.operands[2]);
      loss[0] = loss[1] = tokens;
    });
    member->plan = member->engine->add(
        verification_.plans[r], own, [this](const plan::CommunicatorBinding& group, CUstream_st*) {
          return &local_.end(group.key, group.members, group.my_index);
        });
    return member;
  }

  // Under ZeRO a rank has only its shard of the parameters between steps: nothing else may be read.
  void poison_shards() {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      for (const plan::FlatBucket& bucket : state_of(r).buckets) {
        if (bucket.shards == 1) continue;
        auto* values =
            reinterpret_cast<float*>(ranks_[r]->engine->memory().arena().data() +
                                     state_of(r).buffers[plan::index(bucket.parameters)].offset);
        const std::uint64_t mine =
            bucket.summed_over.group_index(grid_.sizes(), grid_.coordinates(r));
        for (std::uint64_t i = 0; i < bucket.numel; ++i) {
          if (i / bucket.shard_numel() != mine) values[i] = std::numeric_limits<float>::quiet_NaN();
        }
      }
    }
  }

  std::deque<Wakeup> wakeups_;
  comm::LocalJob local_;
  std::vector<std::unique_ptr<Member>> ranks_;
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_TRAIN_EXPERT_JOB_H_
