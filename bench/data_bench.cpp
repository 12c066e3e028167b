#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "megascale/data/dataset.h"
#include "megascale/data/indexed_writer.h"
#include "megascale/data/permutation.h"
#include "megascale/data/prepare.h"

namespace {

using namespace megascale;

// 8 million tokens in documents of 500: larger than the caches, small enough for the page cache.
class CorpusOnDisk {
 public:
  CorpusOnDisk()
      : directory_(std::filesystem::temp_directory_path() /
                   ("megascale_bench_" + std::to_string(::getpid()))) {
    IndexedDatasetWriter writer(directory_ / "corpus", TokenType::uint16);
    const std::vector<std::int32_t> document(500, 65);
    for (int d = 0; d < 16'000; ++d) {
      writer.append(document);
      writer.end_document();
    }
    writer.finish();
  }
  ~CorpusOnDisk() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  CorpusOnDisk(const CorpusOnDisk&) = delete;
  CorpusOnDisk& operator=(const CorpusOnDisk&) = delete;
  [[nodiscard]] Dataset open(bool packed) const {
    const std::vector<std::string> prefixes{(directory_ / "corpus").string()};
    auto corpus = std::make_shared<const Corpus>(prefixes);
    const TokenRange all{0, corpus->tokens()};
    return {std::move(corpus),
            all,
            {.seq_length = 1024, .vocab_size = 256, .shuffle = true, .packed_documents = packed}};
  }

 private:
  std::filesystem::path directory_;
};

// One sequence of 1,024 tokens; the argument says whether documents are packed.
void BM_Fill(benchmark::State& state) {
  const CorpusOnDisk disk;
  const Dataset dataset = disk.open(state.range(0) != 0);
  std::vector<std::int32_t> tokens(1024), targets(1024), positions(1024), segment_ids(1024);
  std::int64_t sample = 0;
  for (auto _ : state) {
    dataset.fill(sample++, {tokens, targets, positions, segment_ids});
    benchmark::DoNotOptimize(targets.data());
    benchmark::ClobberMemory();
  }
  state.counters["tokens/s"] = benchmark::Counter(1024.0 * static_cast<double>(state.iterations()),
                                                  benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Fill)->Arg(0)->Arg(1);

void BM_HashSamples(benchmark::State& state) {
  const CorpusOnDisk disk;
  const Dataset dataset = disk.open(false);
  std::uint64_t hash = 0;
  std::int64_t sample = 0;
  for (auto _ : state) hash = dataset.hash_samples(hash, sample++, 1);
  benchmark::DoNotOptimize(hash);
}
BENCHMARK(BM_HashSamples);

// Look-ups in a permutation; the argument is its size. 4^k is the best case, 4^k + 1 the worst.
void BM_Permutation(benchmark::State& state) {
  const Permutation permutation(state.range(0), 1, "train", 0);
  std::int64_t index = 0, sum = 0;
  for (auto _ : state) {
    sum += permutation(index);
    if (++index == state.range(0)) index = 0;
  }
  benchmark::DoNotOptimize(sum);
}
BENCHMARK(BM_Permutation)->Arg(1 << 20)->Arg((1 << 20) + 1);

// Text of 16 MiB to bytes.
void BM_PrepareText(benchmark::State& state) {
  const auto directory =
      std::filesystem::temp_directory_path() / ("megascale_bench_" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  std::string text;
  while (text.size() < (16U << 20)) text += "The quick brown fox jumps over the lazy dog. ";
  write_text_atomically(directory / "a.txt", text);
  for (auto _ : state) {
    (void)prepare({.inputs = {directory / "a.txt"}, .output = directory / "out"}, ByteTokenizer());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
  std::filesystem::remove_all(directory);
}
BENCHMARK(BM_PrepareText)->Unit(benchmark::kMillisecond);

}  // namespace
