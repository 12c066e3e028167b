#ifndef MEGASCALE_TESTS_SUPPORT_EXCHANGE_PLAN_H_
#define MEGASCALE_TESTS_SUPPORT_EXCHANGE_PLAN_H_

#include <cstring>

#include "support/plan_writer.h"

namespace megascale::testing {

// What is wrong with a broken twin of exchange_plan().
enum class Flaw {
  none,
  missing_receive,
  swapped_collectives,
  reuse_without_wait,
  reuse_cycle,
  wait_on_larger_id,
  operand_outside,
  mismatched_bytes,
  slot_out_of_range,
  hazard_at_one_coordinate,
  issue_order_across_lanes,
};

// A step of one of two ranks, written by hand. Lanes: compute, data (a reduce and a gather),
// forward send and receive.
//   compute  shard = rank + 1...; sum = first micro-batch's piece, then += the second's
//   data     all_reduce(sum); all_gather(shard -> gathered), each rank's part in its place (an axis
//   term) send     rank 0's message to rank 1, and back on the lanes of the other direction compute
//   result = sum + gathered + received; `reused` takes the bytes of `message` over once the send is
//   done
inline constexpr std::uint64_t kExchangeFloats = 512;

class ExchangePlan {
 public:
  ExchangePlan(std::uint32_t rank, Flaw flaw) : rank_(rank), flaw_(flaw) {}

  PlanWriter write() {
    buffers();
    // Two ranks that share two communicators on two lanes: the order of issue counts across lanes.
    data_ = w_.communicator("data", {0, 1}, Lane::data);
    there_ =
        w_.communicator("0->1", {0, 1}, rank_ == 0 ? Lane::forward_send : Lane::forward_receive);
    back_ =
        w_.communicator("1->0", {0, 1}, rank_ == 0 ? Lane::backward_receive : Lane::backward_send);
    produce();
    if (flaw_ == Flaw::reuse_cycle && rank_ == 0) {
      // As if the sum took over bytes that the message from the other rank has passed through.
      point_to_point();
      reduce({pieces_, receive_});
      gather();
    } else {
      collectives();
      point_to_point();
    }
    consume();
    return std::move(w_);
  }

 private:
  static constexpr std::uint64_t kBytes = kExchangeFloats * sizeof(float);
  static constexpr std::size_t kN = kExchangeFloats;
  // This rank's half of a buffer of two.
  Operand half(BufferId buffer, Access access, std::uint32_t k = 0) const {
    return {.buffer = buffer,
            .offset = 0,
            .nbytes = kBytes,
            .access = access,
            .term = {.axes = {graph::Axis::data}, .k = k, .n = 2, .stride = kBytes}};
  }

  void buffers() {
    gathered_ = w_.buffer("gathered", 2 * kBytes);
    sum_ = w_.buffer("sum", kBytes);
    message_ = w_.buffer("message", kBytes);
    received_ = w_.buffer("received", kBytes);
    result_ = w_.buffer("result", kBytes);
    reused_ = w_.buffer_at("reused", w_.offset_of(message_), kBytes);
    if (flaw_ == Flaw::slot_out_of_range) {
      plan::Buffer& buffer = w_.tables.buffers[plan::index(result_)];
      buffer.slot_use = plan::SlotUse::micro_batch;
      buffer.slot_count = 1;
    }
  }

  void produce() {
    const float base = static_cast<float>(rank_ + 1);
    fill_shard_ = w_.work(Lane::compute, "fill_shard", {half(gathered_, Access::write)}, {},
                          [base](const auto& a) {
                            for (std::size_t i = 0; i < kN; ++i)
                              floats(a, 0)[i] = base + static_cast<float>(i) * 0.125F;
                            return nullptr;
                          });
    fill_message_ = w_.work(Lane::compute, "fill_message", {w_.whole(message_, Access::write)}, {},
                            [base](const auto& a) {
                              for (std::size_t i = 0; i < kN; ++i)
                                floats(a, 0)[i] = 1.0F / (base + static_cast<float>(i));
                              return nullptr;
                            });
    for (std::uint16_t m = 0; m < 2; ++m) {
      pieces_ = w_.work(
          Lane::compute, m == 0 ? "piece0" : "piece1", {w_.whole(sum_, Access::first_writes)},
          {.micro_batch = m, .first = m == 0}, [base](const TaskArguments& a) -> const Error* {
            for (std::size_t i = 0; i < kN; ++i) {
              const float term = 1.0F / (base * static_cast<float>(i + 1 + 7 * a.micro_batch));
              floats(a, 0)[i] = a.first ? term : floats(a, 0)[i] + term;
            }
            return nullptr;
          });
    }
  }

  void reduce() { reduce({pieces_}); }
  void reduce(std::vector<TaskId> after) {
    Operand operand = w_.whole(sum_, Access::accumulate);
    if (flaw_ == Flaw::mismatched_bytes && rank_ == 1) operand.nbytes -= 4;
    reduce_ = w_.transfer(graph::all_reduce_op(), "reduce", data_, {operand},
                          {.after = std::move(after)});
  }
  void gather() {
    gather_ = w_.transfer(graph::all_gather_op(), "gather", data_,
                          {half(gathered_, Access::read), w_.whole(gathered_, Access::write)},
                          {.after = {fill_shard_}});
  }
  void collectives() {
    if (flaw_ == Flaw::swapped_collectives && rank_ == 1) {
      gather();
      reduce();
      return;
    }
    if (flaw_ == Flaw::issue_order_across_lanes && rank_ == 1) return;  // after the messages
    reduce();
    gather();
  }

  void send(CommunicatorId communicator) {
    TaskId last = fill_message_;
    // As if the message took over bytes of the sum.
    if (flaw_ == Flaw::reuse_cycle && rank_ == 1) last = reduce_;
    send_ = w_.transfer(graph::send_op(), "send", communicator, {w_.whole(message_, Access::read)},
                        {.after = {last}});
  }
  void receive(CommunicatorId communicator) {
    if (flaw_ == Flaw::missing_receive && rank_ == 1) return;
    receive_ = w_.transfer(graph::recv_op(), "receive", communicator,
                           {w_.whole(received_, Access::write)}, {});
  }
  void point_to_point() {
    if (rank_ == 0) {
      send(there_);
      receive(back_);
      return;
    }
    receive(there_);
    send(back_);
    if (flaw_ == Flaw::issue_order_across_lanes) {
      reduce();
      gather();
    }
  }

  void consume() {
    std::vector<TaskId> inputs{reduce_, gather_};
    if (!(flaw_ == Flaw::missing_receive && rank_ == 1)) inputs.push_back(receive_);
    Operand result = w_.whole(result_, Access::write);
    if (flaw_ == Flaw::operand_outside && rank_ == 0) result.offset = 4;
    w_.work(Lane::compute, "combine",
            {w_.whole(sum_, Access::read), w_.whole(gathered_, Access::read),
             w_.whole(received_, Access::read), result},
            {.after = inputs,
             .micro_batch = std::uint16_t(flaw_ == Flaw::slot_out_of_range && rank_ == 1 ? 1 : 0)},
            [](const auto& a) {
              for (std::size_t i = 0; i < kN; ++i) {
                floats(a, 3)[i] =
                    floats(a, 0)[i] + floats(a, 1)[i] + floats(a, 1)[kN + i] + floats(a, 2)[i];
              }
              return nullptr;
            });
    std::vector<TaskId> released;
    if (!(flaw_ == Flaw::reuse_without_wait && rank_ == 0)) released.push_back(send_);
    w_.work(Lane::compute, "reuse",
            {w_.whole(reused_, Access::write), w_.whole(result_, Access::read)},
            {.after = released}, [](const auto& a) {
              for (std::size_t i = 0; i < kN; ++i) floats(a, 0)[i] = 2.0F * floats(a, 1)[i];
              return nullptr;
            });
    if (flaw_ == Flaw::wait_on_larger_id) {
      w_.tables.waits.push_back({.lane = Lane::compute, .count = 6});
      plan::Task& first = w_.tables.tasks[gather_];
      first.first_wait = static_cast<std::uint32_t>(w_.tables.waits.size() - 1);
      first.wait_count = 1;
    }
    if (flaw_ == Flaw::hazard_at_one_coordinate) {
      // Reads half (coordinate + 1) mod 2 while nothing orders it after `late`, which writes half
      // 0: only coordinate 1.
      const TaskId late =
          w_.work(Lane::host_out, "late",
                  {{.buffer = gathered_, .nbytes = kBytes, .access = Access::write}},
                  {.after = {static_cast<TaskId>(w_.tables.tasks.size() - 2)}},
                  [](const auto&) { return nullptr; });
      (void)late;
      w_.work(Lane::compute, "neighbour", {half(gathered_, Access::read, 1)}, {},
              [](const auto&) { return nullptr; });
    }
  }

  std::uint32_t rank_;
  Flaw flaw_;
  PlanWriter w_;
  BufferId gathered_{}, sum_{}, message_{}, received_{}, result_{}, reused_{};
  CommunicatorId data_{}, there_{}, back_{};
  TaskId fill_shard_ = 0, fill_message_ = 0, pieces_ = 0, reduce_ = 0, gather_ = 0, send_ = 0,
         receive_ = 0;
};

inline std::vector<PlanWriter> exchange_plans(Flaw flaw = Flaw::none) {
  return {ExchangePlan(0, flaw).write(), ExchangePlan(1, flaw).write()};
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_SUPPORT_EXCHANGE_PLAN_H_
