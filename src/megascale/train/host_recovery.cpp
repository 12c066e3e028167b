// The first rank of each host reports which shards of which copies are good there; rank 0 chooses a
// copy and says who gives which file to whom.
#include "megascale/train/host_recovery.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/checkpoint/layout.h"
#include "megascale/checkpoint/read_back.h"
#include "megascale/checkpoint/shard.h"
#include "megascale/train/agreement.h"
#include "megascale/train/copies_directory.h"
#include "megascale/train/host_save.h"

namespace megascale::train {
namespace {

constexpr std::string_view kAbout = "copies of the state in the memory of the hosts",
                           kProblem = "! ";

checkpoint::Manifest manifest_in(const std::filesystem::path& copy) {
  const std::filesystem::path path = copy / checkpoint::kManifestName;
  return checkpoint::parse_manifest(read_text(path), path.string());
}

// A line of a survey that tells of a problem.
std::string problem_line(const Error& error) {
  std::string text = error.message();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return std::string(kProblem).append(text) + "\n";
}

// Returns the numbers of the shards that are in the directory and good. Adds lines about the others to
// `problems`.
std::vector<std::size_t> good_shards(const std::filesystem::path& copy,
                                     const checkpoint::Manifest& manifest, std::string& problems) {
  std::vector<std::size_t> good;
  for (std::size_t i = 0; i < manifest.shards.size(); ++i) {
    const checkpoint::ShardFile& shard = manifest.shards[i];
    std::error_code ignored;
    if (!std::filesystem::exists(copy / shard.file, ignored)) continue;
    try {
      checkpoint::check_shard_header(checkpoint::ReadFile(copy / shard.file), shard,
                                     manifest.generation);
      checkpoint::read_back(copy, {&shard, 1}, nullptr);
      good.push_back(i);
    } catch (const Error& error) {
      problems += problem_line(error);
    }
  }
  return good;
}

}  // namespace

HostRecovery::HostRecovery(Parts parts)
    : parts_(std::move(parts)), leads_(parts_.hosts->leads(parts_.coordination->rank())) {
  choose(parts_.coordination->gather(leads_ ? survey() : "", kAbout));
  std::string found;
  if (step_) found = fmt::format("{} {}", *step_, generation_);
  std::istringstream words(parts_.coordination->broadcast(found, kAbout));
  std::int64_t step = 0;
  if (words >> step >> generation_) step_ = step;
}

// A line for each copy: step, generation, record and epoch of its attempt ("-" and 0: none), number
// of its shards, and the numbers of those that are good here. And a line for each problem.
std::string HostRecovery::survey() const {
  std::string text;
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(parts_.directory, ignored)))
    return text;
  if (const std::string why = why_not_ours(parts_.directory); !why.empty())
    return problem_line(Error(ErrorCode::failed, why));
  for (const checkpoint::Entry& entry : checkpoint::list(parts_.directory).checkpoints) {
    try {
      const checkpoint::Manifest manifest = manifest_in(entry.path);
      const auto& attempt = manifest.attempt;
      std::string problems;
      text += fmt::format("{} {} {} {} {} {}\n", manifest.state.step, manifest.generation,
                          attempt ? attempt->record : "-", attempt ? attempt->epoch : 0,
                          manifest.shards.size(),
                          fmt::join(good_shards(entry.path, manifest, problems), " "));
      text += problems;
    } catch (const Error& error) {
      text += problem_line(error);
    }
  }
  return text;
}

void HostRecovery::choose(const std::vector<std::string>& surveys) {
  struct Found {
    std::size_t shards = 0;
    std::optional<checkpoint::AttemptMark> attempt;
    std::map<std::size_t, std::vector<std::uint32_t>> holders;
  };
  std::map<Key, Found> all;
  for (std::uint32_t rank = 0; rank < surveys.size(); ++rank) {
    std::istringstream lines(surveys[rank]);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(kProblem)) {
        parts_.say(fmt::format("copy in memory passed over, on the host of rank {}: {}", rank,
                               line.substr(kProblem.size())));
        continue;
      }
      std::istringstream words(line);
      Key key;
      checkpoint::AttemptMark mark;
      std::size_t shards = 0;
      words >> key.first >> key.second >> mark.record >> mark.epoch >> shards;
      Found& found = all[key];
      found.shards = shards;
      if (mark.epoch > 0) found.attempt = mark;
      for (std::size_t shard = 0; words >> shard;) found.holders[shard].push_back(rank);
    }
  }
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    auto& [key, found] = *it;
    if (found.holders.size() != found.shards || found.shards == 0) continue;
    try {
      if (parts_.accept) {
        parts_.accept({.generation = key.second, .attempt = found.attempt},
                      parts_.directory / checkpoint::step_name(key.first));
      }
    } catch (const Error& error) {
      parts_.say("copy in memory passed over: " + error.message());
      continue;
    }
    step_ = key.first;
    generation_ = key.second;
    holders_ = std::move(found.holders);
    return;
  }
}

checkpoint::Opened HostRecovery::fetch(
    const std::function<std::set<std::string>(const checkpoint::Manifest&)>& needs) {
  comm::Coordination& coordination = *parts_.coordination;
  const std::filesystem::path copy = parts_.directory / checkpoint::step_name(*step_);
  std::string text;
  try {
    if (leads_ && manifest_in(copy).generation == generation_)
      text = read_text(copy / checkpoint::kManifestName);
  } catch (const Error&) {  // this host does not have it
  }
  const auto texts = coordination.gather(text, kAbout);
  for (const std::string& one : texts) text = one.empty() ? text : one;
  text = coordination.broadcast(text, kAbout);
  const checkpoint::Manifest manifest = checkpoint::parse_manifest(text, std::string(kAbout));
  agree_on(coordination, kAbout, [&] {
    if (leads_) prepare(text);
  });
  const auto all = coordination.gather(fmt::format("{}", fmt::join(needs(manifest), " ")), kAbout);
  std::string plan = coordination.rank() == 0 ? message_of([&] { return schedule(all, manifest); })
                                              : std::string();
  plan = coordination.broadcast(plan, kAbout);
  require_success({&plan, 1});
  // Lines "OFFSET NUMBER FROM TO", by offset: all ranks exchange the files of one offset at a time.
  std::map<std::uint32_t,
           std::pair<std::vector<checkpoint::ShardFile>, std::vector<checkpoint::ShardFile>>>
      moves;
  std::istringstream words(plan);
  std::uint32_t offset = 0, from = 0, to = 0;
  for (std::size_t number = 0; words >> offset >> number >> from >> to;) {
    auto& [given, taken] = moves[offset];
    if (from == coordination.rank()) given.push_back(manifest.shards[number]);
    if (to == coordination.rank()) taken.push_back(manifest.shards[number]);
  }
  for (const auto& [distance, files] : moves) {
    exchange_files(coordination, distance, copy, files.first, files.second, kAbout);
    agree_on(coordination, kAbout, [&] { checkpoint::read_back(copy, files.second, nullptr); });
  }
  return checkpoint::Opened(copy, checkpoint::Check::present);
}

// Makes the directory and the manifest on a host that lacks them.
void HostRecovery::prepare(const std::string& manifest) const {
  make_private_directory(parts_.directory);
  const std::filesystem::path copy = parts_.directory / checkpoint::step_name(*step_);
  try {
    if (manifest_in(copy).generation == generation_) return;
  } catch (const Error&) {  // there is none
  }
  std::error_code ignored;
  std::filesystem::remove_all(copy, ignored);
  make_private_directory(copy);
  write_text_atomically(copy / checkpoint::kManifestName, manifest);
}

// Returns the lines for fetch(). A giver and its taker must be near each other.
std::string HostRecovery::schedule(const std::vector<std::string>& needs,
                                   const checkpoint::Manifest& manifest) const {
  const std::uint32_t near = parts_.coordination->near().count;
  const auto& host_of = parts_.hosts->host_of;
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < manifest.shards.size(); ++i) numbers[manifest.shards[i].file] = i;
  std::set<std::pair<std::uint32_t, std::size_t>> wanted;  // leading rank of a host, file
  for (std::uint32_t rank = 0; rank < needs.size(); ++rank) {
    const auto leader = static_cast<std::uint32_t>(
        std::find(host_of.begin(), host_of.end(), host_of[rank]) - host_of.begin());
    std::istringstream files(needs[rank]);
    for (std::string file; files >> file;) wanted.insert({leader, numbers.at(file)});
  }
  std::string lines;
  for (const auto& [to, number] : wanted) {
    const auto& holders = holders_.at(number);
    if (std::find(holders.begin(), holders.end(), to) != holders.end()) continue;
    const std::uint32_t first = to / near * near,
                        count = std::min(near, static_cast<std::uint32_t>(needs.size()) - first);
    const auto from = std::find_if(holders.begin(), holders.end(), [&](std::uint32_t holder) {
      return holder / near == to / near;
    });
    if (from == holders.end()) {
      throw Error(ErrorCode::failed,
                  fmt::format("rank {} needs {}, which only ranks {} have: they are too far away",
                              to, manifest.shards[number].file, fmt::join(holders, ", ")));
    }
    lines += fmt::format("{} {} {} {}\n", (*from - first + count - (to - first)) % count, number,
                         *from, to);
  }
  return lines;
}

}  // namespace megascale::train
