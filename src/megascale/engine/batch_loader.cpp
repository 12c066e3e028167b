// Loads the batches of a rank. It reads whole sequences, from the data set or from the memory that
// the ranks of a host share, and copies to the staging buffer only what this rank needs: the fields
// that its stage reads, and with context parallelism its share of each sequence.
#include "megascale/engine/batch_loader.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "megascale/config/derived.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::engine {
namespace {

using graph::BatchField;

// In the order of HostBatches::Fields.
constexpr std::array kFields{BatchField::tokens, BatchField::targets, BatchField::positions,
                             BatchField::segments};

bool is_of_samples(BatchField field) noexcept {
  return field == BatchField::padding || field == BatchField::counted ||
         std::find(kFields.begin(), kFields.end(), field) != kFields.end();
}

}  // namespace

bool has_samples(const plan::BatchLayout& layout) noexcept {
  return std::any_of(layout.fields.begin(), layout.fields.end(),
                     [](const auto& field) { return is_of_samples(field.field); });
}

BatchLoader::BatchLoader(Source source, plan::BatchLayout layout)
    : source_(std::move(source)),
      layout_(std::move(layout)),
      rows_(source_.config, source_.context_rank, source_.tensor_rank) {
  const auto tokens = static_cast<std::size_t>(source_.config.train.micro_batch_size *
                                               source_.config.model.seq_length);
  for (auto& field : whole_) field.resize(tokens);
}

const Error* BatchLoader::run(const TaskArguments& arguments) noexcept {
  try {
    if (next_ < end_) fill(arguments.operands[graph::load_batch::staging], next_);
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
  // Only the fields before votes: the rank's thread writes that field when the current step starts,
  // perhaps at this moment.
  std::memcpy(staging, &numbers, offsetof(StepNumbers, votes));
  if (source_.other_fields) source_.other_fields(staging, step);
  if (!has_samples(layout_)) return;
  const HostBatches::Fields own{whole_[0], whole_[1], whole_[2], whole_[3]};
  const auto part = [&](std::uint32_t m) {
    return staging + plan::BatchLayout::kHeader + m * layout_.micro_batch_nbytes;
  };
  if (source_.seat.batches != nullptr) {
    source_.seat.batches->next(
        source_.seat.member, step, own,
        [this, step](std::uint32_t m, const HostBatches::Fields& whole) { read(step, m, whole); },
        [this, step, &part](std::uint32_t m, const HostBatches::Fields& whole) {
          copy_fields(whole, first_of(step, m), part(m));
        });
    return;
  }
  for (std::uint32_t m = 0; m < layout_.micro_batches; ++m) {
    read(step, m, own);
    copy_fields(own, first_of(step, m), part(m));
  }
}

std::int64_t BatchLoader::first_of(std::int64_t step, std::uint32_t micro_batch) const noexcept {
  return samples_before_ +
         first_sample(source_.config,
                      {.step = step, .data_rank = source_.data_rank, .micro_batch = micro_batch});
}

void BatchLoader::read(std::int64_t step, std::uint32_t micro_batch,
                       const HostBatches::Fields& whole) const {
  source_.dataset->fill(first_of(step, micro_batch), {whole[0], whole[1], whole[2], whole[3]});
}

void BatchLoader::copy_fields(const HostBatches::Fields& whole, std::int64_t first,
                              std::byte* part) const {
  for (const plan::BatchLayout::Field& field : layout_.fields) {
    if (!is_of_samples(field.field)) continue;
    std::byte* const to = part + field.offset;
    const std::span values(reinterpret_cast<std::int32_t*>(to),
                           field.nbytes / sizeof(std::int32_t));
    if (field.field == BatchField::padding) {
      mark_padding(first, values);
    } else if (field.field == BatchField::counted) {
      const std::int64_t count = counted(whole[1]);
      std::memcpy(to, &count, sizeof count);
    } else {
      const auto known = std::find(kFields.begin(), kFields.end(), field.field);
      copy_share(whole[static_cast<std::size_t>(known - kFields.begin())], values);
    }
  }
}

void BatchLoader::mark_padding(std::int64_t first, std::span<std::int32_t> padding) const {
  rows_.for_each_run(
      [&](std::int64_t row, std::int64_t count, std::int64_t sequence, std::int64_t position) {
        const std::int64_t length = source_.dataset->tokens_of(first + sequence, 1);
        for (std::int64_t i = 0; i < count; ++i)
          padding[static_cast<std::size_t>(row + i)] = position + i < length ? 0 : 1;
      });
}

std::int64_t BatchLoader::counted(std::span<const std::int32_t> targets) const {
  if (has_preferences(source_.config)) return source_.config.train.micro_batch_size / 2;
  return std::count_if(targets.begin(), targets.end(),
                       [](std::int32_t target) { return target >= 0; });
}

// Copies a field. If `to` has room for whole sequences, it gets them; otherwise it gets this rank's
// share of every sequence.
void BatchLoader::copy_share(std::span<const std::int32_t> whole,
                             std::span<std::int32_t> to) const {
  const std::size_t shares = whole.size() / to.size();
  const std::size_t share = shares == 1 ? 0 : source_.context_rank;
  const auto length = static_cast<std::size_t>(source_.config.model.seq_length);
  const std::size_t count = length / shares;
  for (std::size_t row = 0; row < whole.size() / length; ++row) {
    std::copy_n(whole.data() + row * length + share * count, count, to.data() + row * count);
  }
}

}  // namespace megascale::engine
