// Divides the pieces of a checkpoint among the ranks that need them. Near ranks first tell each other
// which pieces they need, so all of them compute the same division, and no rank asks another one for
// bytes. The pieces that a rank reads for others form one stream; in each round every rank gives the
// next block of its stream to the ranks at certain distances.
#include "megascale/train/shared_load.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "megascale/base/digest.h"
#include "megascale/base/error.h"
#include "megascale/checkpoint/shard.h"
#include "megascale/checkpoint/storage.h"
#include "megascale/train/agreement.h"

namespace megascale::train {
namespace {

constexpr std::string_view kAboutLoading = "loading the checkpoint";
constexpr std::uint64_t kMostBlock = std::uint64_t{4} << 20;  // bytes

// The pieces of all shards, in the order of the manifest.
struct NumberedPiece {
  const checkpoint::ShardFile* shard = nullptr;
  const checkpoint::StoredPiece* piece = nullptr;
  [[nodiscard]] std::uint64_t nbytes() const noexcept { return piece->end - piece->begin; }
};
using PieceTable = std::vector<NumberedPiece>;

// Where this rank needs bytes of a piece.
struct PieceUse {
  const Target* target = nullptr;
  checkpoint::Box part;  // of the tensor
};
using UseTable = std::vector<std::vector<PieceUse>>;  // by the number of the piece

// A list of pieces as one run of bytes, from which blocks are taken.
class PieceWalk {
 public:
  PieceWalk(const PieceTable& table, std::span<const std::size_t> pieces)
      : table_(&table), pieces_(pieces) {}
  [[nodiscard]] bool is_over() const noexcept { return place_ == pieces_.size(); }
  // Divides the next block.size() bytes, at the end fewer: calls visit(number of the piece, first byte
  // in the piece, its part of the block).
  template <class F>
  void next(std::span<std::byte> block, const F& visit) {
    while (!block.empty() && !is_over()) {
      const std::uint64_t nbytes = (*table_)[pieces_[place_]].nbytes();
      const auto part = block.first(std::min<std::uint64_t>(block.size(), nbytes - at_));
      visit(pieces_[place_], at_, part);
      block = block.subspan(part.size());
      at_ += part.size();
      if (at_ < nbytes) continue;
      ++place_;
      at_ = 0;
    }
  }

 private:
  const PieceTable* table_;
  std::span<const std::size_t> pieces_;
  std::size_t place_ = 0;
  std::uint64_t at_ = 0;  // of the piece
};

// Reads pieces from their first byte to their last one, and compares their digests.
class PieceReader {
 public:
  PieceReader(const PieceTable& table, std::filesystem::path directory)
      : table_(&table), directory_(std::move(directory)) {}
  void read(std::size_t number, std::uint64_t at, std::span<std::byte> out) {
    const auto& [shard, piece] = (*table_)[number];
    if (std::exchange(open_, shard) != shard) file_.emplace(directory_ / shard->file);
    if (at == 0) digest_ = DigestStream();
    file_->read(piece->begin + at, out);
    digest_.update(out);
    if (piece->begin + at + out.size() == piece->end)
      checkpoint::require_digest(file_->path(), *piece, digest_.finish());
  }

 private:
  const PieceTable* table_;
  std::filesystem::path directory_;
  const checkpoint::ShardFile* open_ = nullptr;
  std::optional<checkpoint::ReadFile> file_;
  DigestStream digest_;
};

// Copies the bytes of pieces, which come from their first byte to their last one, to the targets.
class PieceSink {
 public:
  PieceSink(const PieceTable& table, const UseTable& uses) : table_(&table), uses_(&uses) {}
  void take(std::size_t number, std::uint64_t at, std::span<const std::byte> bytes) {
    if ((*uses_)[number].empty()) return;
    if (at == 0) begin(number);
    for (Copy& copy : copies_)
      checkpoint::copy_block(copy.runs, copy.run, copy.itemsize, at, bytes, copy.out);
  }

 private:
  struct Copy {
    std::vector<checkpoint::CopyRun> runs;
    std::size_t run = 0, itemsize = 0;
    std::span<std::byte> out;
  };
  void begin(std::size_t number) {
    copies_.clear();
    const checkpoint::StoredPiece& piece = *(*table_)[number].piece;
    for (const PieceUse& use : (*uses_)[number]) {
      copies_.push_back({.runs = copy_runs(use.part, piece.box, use.target->box),
                         .itemsize = itemsize(piece.dtype),
                         .out = use.target->out});
    }
  }
  const PieceTable* table_;
  const UseTable* uses_;
  std::vector<Copy> copies_;  // of the piece under way
};

class SharedLoad {
 public:
  SharedLoad(comm::Coordination& coordination, const checkpoint::Opened& opened,
             std::span<const Target> targets)
      : coordination_(coordination),
        opened_(opened),
        near_(coordination.near()),
        me_(coordination.rank() - near_.first),
        streams_(near_.count) {
    std::vector<std::size_t> first_piece;
    for (const checkpoint::ShardFile& shard : opened.manifest().shards) {
      first_piece.push_back(table_.size());
      for (const auto& piece : shard.pieces) table_.push_back({&shard, &piece});
    }
    uses_.resize(table_.size());
    for (const Target& target : targets) {
      for (const checkpoint::PieceRef ref : opened.tensor(target.name).pieces) {
        const std::size_t number = first_piece[ref.shard] + ref.piece;
        if (auto part = intersect(table_[number].piece->box, target.box))
          uses_[number].push_back({&target, *std::move(part)});
      }
    }
  }

  std::optional<Error> run() {
    divide(tell_needs());
    schedule();
    if (coordination_.rank() == 0) noting([&] { check_tokenizer(opened_); });
    load_own();
    load_shared();
    const auto all = coordination_.gather(failure_, kAboutLoading);
    std::string outcome;
    if (coordination_.rank() == 0) {
      outcome = message_of([&] {
        require_success(all);
        return std::string();
      });
    }
    outcome = coordination_.broadcast(outcome, kAboutLoading);
    if (outcome.empty()) return std::nullopt;
    return Error(ErrorCode::corrupt_data, outcome.substr(1));
  }

 private:
  // Returns, for each near rank, a bit for each piece: whether it needs it.
  std::vector<std::vector<std::byte>> tell_needs() {
    std::vector<std::vector<std::byte>> needs(near_.count,
                                              std::vector<std::byte>((table_.size() + 7) / 8));
    for (std::size_t number = 0; number < uses_.size(); ++number) {
      if (!uses_[number].empty()) needs[me_][number / 8] |= std::byte{1} << number % 8;
    }
    for (std::uint32_t offset = 1; offset < near_.count; ++offset)
      coordination_.shift(needs[me_], needs[(me_ + offset) % near_.count], offset, kAboutLoading);
    return needs;
  }

  // Of the ranks that need a piece, the one with the fewest bytes so far reads it.
  void divide(const std::vector<std::vector<std::byte>>& needs) {
    std::vector<std::uint64_t> nbytes(near_.count);
    std::vector<std::uint32_t> ranks;
    for (std::size_t number = 0; number < table_.size(); ++number) {
      ranks.clear();
      for (std::uint32_t rank = 0; rank < near_.count; ++rank) {
        if ((needs[rank][number / 8] >> number % 8 & std::byte{1}) != std::byte{0})
          ranks.push_back(rank);
      }
      if (ranks.empty()) continue;
      const std::uint32_t reader = *std::min_element(
          ranks.begin(), ranks.end(),
          [&](std::uint32_t a, std::uint32_t b) { return nbytes[a] < nbytes[b]; });
      nbytes[reader] += table_[number].nbytes();
      if (ranks.size() == 1) {
        if (reader == me_) own_.push_back(number);
        continue;
      }
      streams_[reader].push_back(number);
      for (const std::uint32_t rank : ranks) {
        if (rank != reader) offsets_[number].insert((reader + near_.count - rank) % near_.count);
      }
    }
  }

  // Finds the distances at which somebody needs bytes, by round. Pieces that many ranks need, such as
  // norms, are small and come last in a stream: so in most rounds there are few distances.
  void schedule() {
    std::uint64_t longest = 0;
    for (auto& stream : streams_) {
      std::stable_sort(stream.begin(), stream.end(), [&](std::size_t a, std::size_t b) {
        return offsets_.at(a).size() < offsets_.at(b).size();
      });
      std::uint64_t nbytes = 0;
      for (const std::size_t number : stream) nbytes += table_[number].nbytes();
      longest = std::max(longest, nbytes);
    }
    if (longest == 0) return;
    block_ = std::min(kMostBlock, longest);
    rounds_.resize((longest + block_ - 1) / block_);
    for (const auto& stream : streams_) {
      std::uint64_t at = 0;
      for (const std::size_t number : stream) {
        const std::uint64_t end = at + table_[number].nbytes();
        for (std::uint64_t round = at / block_; round * block_ < end; ++round)
          rounds_[round].insert(offsets_.at(number).begin(), offsets_.at(number).end());
        at = end;
      }
    }
  }

  // The pieces that no other near rank needs.
  void load_own() {
    std::vector<std::byte> block(own_.empty() ? 0 : kMostBlock);
    PieceWalk walk(table_, own_);
    PieceReader reader(table_, opened_.path());
    PieceSink sink(table_, uses_);
    while (!walk.is_over() && failure_.empty())
      walk.next(block, [&](auto... part) { read_and_take(reader, sink, part...); });
  }

  // A rank that fails goes on with exchanging, or the others would wait for it.
  void load_shared() {
    std::vector<std::byte> out(block_), in(block_);
    std::vector<PieceWalk> walks;
    for (const auto& stream : streams_) walks.emplace_back(table_, stream);
    std::vector<PieceSink> sinks(near_.count, PieceSink(table_, uses_));
    PieceReader reader(table_, opened_.path());
    for (const auto& offsets : rounds_) {
      for (std::uint32_t rank = 0; rank < near_.count; ++rank) {
        if (rank == me_) {
          walks[rank].next(out, [&](auto... part) { read_and_take(reader, sinks[rank], part...); });
        } else if (!offsets.contains((rank + near_.count - me_) % near_.count)) {
          walks[rank].next(in, [](auto...) {});  // nobody at this distance needs the block
        }
      }
      for (const std::uint32_t offset : offsets) {
        const std::uint32_t from = (me_ + offset) % near_.count;
        coordination_.shift(out, in, offset, kAboutLoading);
        walks[from].next(in, [&](auto... part) { sinks[from].take(part...); });
      }
    }
  }

  void read_and_take(PieceReader& reader, PieceSink& sink, std::size_t number, std::uint64_t at,
                     std::span<std::byte> bytes) {
    noting([&] {
      reader.read(number, at, bytes);
      sink.take(number, at, bytes);
    });
  }
  template <class F>
  void noting(const F& action) {
    if (!failure_.empty()) return;
    failure_ = message_of([&] {
      action();
      return std::string();
    });
  }

  comm::Coordination& coordination_;
  const checkpoint::Opened& opened_;
  comm::Coordination::Near near_;
  std::uint32_t me_;  // among the near ranks
  PieceTable table_;
  UseTable uses_;
  std::vector<std::size_t> own_;                   // that this rank reads for itself
  std::vector<std::vector<std::size_t>> streams_;  // by near rank: what it reads for others too
  // By shared piece: the distances from those who need it to the one who reads it.
  std::map<std::size_t, std::set<std::uint32_t>> offsets_;
  std::uint64_t block_ = 0;                      // bytes of a transfer
  std::vector<std::set<std::uint32_t>> rounds_;  // of each round: the distances of its transfers
  std::string failure_;                          // failure_message(); empty: none
};

}  // namespace

std::optional<Error> load_together(comm::Coordination& coordination,
                                   const checkpoint::Opened& opened,
                                   std::span<const Target> targets) {
  return SharedLoad(coordination, opened, targets).run();
}

}  // namespace megascale::train
