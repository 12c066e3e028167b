#include "megascale/engine/batch_loader.h"

#include <cstring>

namespace megascale::engine {

BatchLoader::BatchLoader(Source source, plan::BatchLayout layout)
    : source_(std::move(source)), layout_(std::move(layout)) {
  const auto tokens = static_cast<std::size_t>(source_.config.train.micro_batch_size *
                                               source_.config.model.seq_length);
  for (auto& field : spare_) field.resize(tokens);
}

const Error* BatchLoader::run(const TaskArguments& arguments) noexcept {
  try {
    fill(arguments.operands[0], next_);
    ++next_;
    return nullptr;
  } catch (const Error& error) {
    error_ = error;
  } catch (const std::exception& error) {
    error_ = Error(ErrorCode::failed, error.what());
  }
  return &*error_;
}

void BatchLoader::fill(std::byte* staging, std::int64_t step) {
  const StepNumbers numbers = source_.numbers(step);
  std::memcpy(staging, &numbers, sizeof numbers);
  if (layout_.fields.empty()) return;  // a stage in the middle of the pipeline
  for (std::uint32_t m = 0; m < layout_.micro_batches; ++m) {
    std::byte* part = staging + plan::BatchLayout::kHeader + m * layout_.micro_batch_nbytes;
    Batch batch{spare_[0], spare_[1], spare_[2], spare_[3]};
    for (const plan::BatchLayout::Field& field : layout_.fields) {
      const std::span values(reinterpret_cast<std::int32_t*>(part + field.offset),
                             field.nbytes / sizeof(std::int32_t));
      if (field.name == "tokens") batch.tokens = values;
      if (field.name == "targets") batch.targets = values;
      if (field.name == "positions") batch.positions = values;
      if (field.name == "segments") batch.segment_ids = values;
    }
    source_.dataset->fill(
        first_sample(source_.config,
                     {.step = step, .data_rank = source_.data_rank, .micro_batch = m}),
        batch);
  }
}

}  // namespace megascale::engine
