// Builds everything that a rank in its own process needs to reach the other ranks. The constructor
// creates a UCX worker for transfers, and one for each coordination: of the training loop, of commits,
// and of copies in memory if they are used. So no coordination uses the progress thread, and neither waits
// for the other. The constructor then exchanges addresses, NCCL ids and offers of shared memory
// with the peers through the rendezvous store. Communicators are created from these later, without
// further messages.
#include "megascale/comm/process/process_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "megascale/base/environment.h"
#include "megascale/comm/bootstrap/refuse_start.h"
#include "megascale/comm/nccl/nccl_communicator.h"
#include "megascale/comm/process/before_start.h"
#include "megascale/comm/store/bytes.h"
#include "megascale/comm/ucx/firewall.h"

namespace megascale::comm {
namespace {

// Bounds of the time to wait for the other ranks at the start. At least a minute, since hosts start
// at different speeds, even if the waits of a step are to be short. At most a day, which fits into
// the store's 32-bit milliseconds.
constexpr std::chrono::minutes kShortestMeeting{1};
constexpr std::chrono::hours kLongestMeeting{24};

// Time between two polls of a communicator that is ending.
constexpr std::chrono::milliseconds kLook{1};

// Returns the number that all messages between the ranks carry to prove that they belong to the
// job. It is derived from the secret, so the ranks need not exchange it.
std::uint64_t token_of(const ProcessLaunch& launch) {
  const Proof proof = make_proof(launch.secret, ProofRole::client,
                                 launch.environment.job + " messages between ranks", {}, {});
  std::uint64_t token = 0;
  std::memcpy(&token, proof.data(), sizeof token);
  return token;
}

UcxOptions ucx_options(const ProcessLaunch& launch, bool checksums,
                       std::shared_ptr<const SharedFile> memory = nullptr) {
  return {.rank = launch.environment.rank,
          .memory = std::move(memory),
          .token = token_of(launch),
          .transports = launch.network.transports,
          .devices = launch.network.devices,
          .checksums = checksums};
}

UcxCoordination::Options coordination_options(const ProcessLaunch& launch,
                                              std::chrono::nanoseconds timeout) {
  return {.rank = launch.environment.rank,
          .world_size = launch.environment.world_size,
          .timeout = timeout};
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::vector<std::byte> as_bytes(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// Returns the launch environment. If only this rank's place on its host is wrong, the store is known
// all the same, and the other ranks are told of the error.
std::optional<LaunchEnvironment> read_or_refuse(const Lookup& lookup) {
  try {
    return read_launch_environment(lookup);
  } catch (const Error& error) {
    const Lookup without_place = [&](const char* name) {
      return std::string_view(name).find("LOCAL") == std::string_view::npos ? lookup(name)
                                                                            : nullptr;
    };
    try {
      const auto known = read_launch_environment(without_place);
      if (known && known->world_size > 1)
        refuse_start(*known, JobSecret::from_environment(lookup), error);
    } catch (const Error&) {  // more is wrong, or there is no secret: the others miss this rank
    }
    throw;
  }
}

}  // namespace

std::optional<ProcessLaunch> ProcessLaunch::from_environment() {
  // Read once, at start, before other threads exist.
  const Lookup lookup = environment_variable;
  auto environment = read_or_refuse(lookup);
  if (!environment || environment->world_size == 1) return std::nullopt;
  Network network = choose_network(*environment, lookup);
  return ProcessLaunch{.environment = std::move(*environment),
                       .secret = JobSecret::from_environment(lookup),
                       .network = std::move(network),
                       .segments = SegmentFolder::of_this_process()};
}

ProcessRank::ProcessRank(const ProcessLaunch& launch, const Options& options)
    : rank_(launch.environment.rank),
      on_device_(options.on_device),
      nccl_(options.nccl),
      window_(options.window),
      worker_(wakeup_,
              ucx_options(launch, options.checksums, options.checksums ? nullptr : options.arena)),
      loop_(ucx_options(launch, options.checksums)),
      commits_(ucx_options(launch, options.checksums)) {
  if (options.has_copies) copies_.emplace(ucx_options(launch, options.checksums));
  const auto settings = coordination_options(launch, options.timeout);
  std::vector<std::vector<std::uint32_t>> groups;
  for (const Group& group : options.groups) groups.push_back(group.members);
  for (auto& group : UcxCoordination::groups(settings)) groups.push_back(std::move(group));
  groups.push_back(options.host_memory.ranks);
  std::optional<SharedFile> own;
  if (options.host_memory.nbytes > 0) own.emplace(options.host_memory.nbytes);
  std::string endpoint = before_start(&launch, [&] { return own_endpoint(options, own); });
  {
    // The store is used only here. Later a lost peer is noticed by the end of its process or of its
    // connection.
    const auto patience =
        std::clamp<std::chrono::nanoseconds>(options.timeout, kShortestMeeting, kLongestMeeting);
    Rendezvous rendezvous(launch.environment, launch.secret,
                          std::chrono::ceil<std::chrono::milliseconds>(patience));
    const auto met = rendezvous.meet(std::move(endpoint), options.digest, std::move(groups));
    if (!met) throw Error(met.error());
    for (const RankRecord& record : met->records) endpoints_[record.rank] = read_endpoint(record);
    // Check now that every group has its NCCL id. A missing id that is found later would leave the
    // other members of the group waiting for ever.
    for (const Group& group : options.groups) {
      if (options.on_device) (void)nccl_id(group);
    }
    keep_strangers_out(*met);
    if (!window_.empty()) choose_windows(options.groups, *met);
    if (own) share_host_memory(options.host_memory, *met, std::move(*own));
  }
  const auto connect = [&](CoordinationEnd& end, std::vector<std::byte> Endpoint::*address) {
    end.coordination = std::make_unique<UcxCoordination>(
        end.worker, end.wakeup, settings,
        [this, address](std::uint32_t rank) { return this->endpoint(rank).*address; });
  };
  connect(loop_, &Endpoint::coordination);
  connect(commits_, &Endpoint::commits);
  if (copies_) connect(*copies_, &Endpoint::copies);
}

std::string ProcessRank::own_endpoint(const Options& options,
                                      const std::optional<SharedFile>& memory) {
  std::map<std::string, NcclId> ids;
  for (const Group& group : options.groups) {
    const bool leads = options.on_device && group.members.front() == rank_;
    if (!leads || ids.contains(group.key)) continue;
    try {
      ids.emplace(group.key, nccl_.make_id());
    } catch (Error& error) {
      error.add_context(fmt::format("making the id of group {} on rank {}", group.key, rank_));
      throw;
    }
  }
  std::string endpoint;
  ByteWriter writer(endpoint);
  writer.text(as_text(worker_.address()));
  writer.text(as_text(loop_.worker.address()));
  writer.text(as_text(commits_.worker.address()));
  writer.text(copies_ ? as_text(copies_->worker.address()) : std::string_view());
  const auto addresses = own_ip_addresses();
  writer.number(static_cast<std::uint32_t>(addresses.size()));
  for (const IpAddress& address : addresses) writer.text(address);
  writer.number<std::int32_t>(memory ? memory->descriptor() : -1);
  writer.number(static_cast<std::uint32_t>(ids.size()));
  for (const auto& [key, id] : ids) {
    writer.text(key);
    writer.text(as_text(id.bytes));
  }
  return endpoint;
}

ProcessRank::Endpoint ProcessRank::read_endpoint(const RankRecord& record) {
  ByteReader reader(record.endpoint);
  Endpoint read;
  read.data = as_bytes(reader.text());
  read.coordination = as_bytes(reader.text());
  read.commits = as_bytes(reader.text());
  read.copies = as_bytes(reader.text());
  auto addresses = reader.number<std::uint32_t>();
  for (; addresses > 0 && reader.left() > 0; --addresses)
    read.addresses.emplace_back(reader.text());
  read.offer = {.process = record.host.pid, .descriptor = reader.number<std::int32_t>()};
  auto ids = reader.number<std::uint32_t>();
  std::map<std::string, std::string_view> id_of;  // by key
  for (; ids > 0 && reader.left() > 0; --ids) {
    const std::string key(reader.text());
    id_of[key] = reader.text();
  }
  if (!reader.complete() || ids > 0 || addresses > 0) {
    throw Error(ErrorCode::corrupt_data,
                fmt::format("the record of rank {} in the store holds no endpoints", record.rank));
  }
  for (const auto& [key, id] : id_of) {
    if (id.size() != sizeof(NcclId)) {
      throw Error(ErrorCode::corrupt_data,
                  fmt::format("the record of rank {} in the store holds {} bytes as NCCL's id of "
                              "group {}, expected {}",
                              record.rank, id.size(), key, sizeof(NcclId)));
    }
    std::memcpy(read.nccl[key].bytes.data(), id.data(), id.size());
  }
  return read;
}

void ProcessRank::choose_windows(const std::vector<Group>& groups, const Launch& launch) {
  const std::string& here = launch.find(rank_)->host.host_id;
  for (const Group& group : groups) {
    const bool on_one_host = std::ranges::all_of(group.members, [&](std::uint32_t member) {
      return launch.find(member)->host.host_id == here;
    });
    if (group.equal_offsets && on_one_host && group.members.size() > 1)
      has_window_.insert(group.key);
  }
  if (!has_window_.empty()) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("overlap.symmetric_memory: rank {} is in no group of ranks of one host "
                          "that use equal offsets of their arenas; expected ranks of one pipeline "
                          "stage on its host, with transfers between them",
                          rank_));
}

void ProcessRank::share_host_memory(const HostMemory::Request& request, const Launch& launch,
                                    SharedFile own) {
  std::vector<HostMemory::Member> members;
  for (const std::uint32_t rank : request.ranks)
    members.push_back({*launch.find(rank), endpoint(rank).offer});
  const auto here = HostMemory::on_host_of(rank_, members);
  if (here.size() > 1) host_memory_.emplace(rank_, here, std::move(own));
}

void ProcessRank::keep_strangers_out(const Launch& launch) {
  const std::string& here = launch.find(rank_)->host.host_id;
  std::set<IpAddress> peers;
  for (const RankRecord& record : launch.records) {
    const bool is_here = record.host.host_id == here;
    for (const IpAddress& address : endpoint(record.rank).addresses) {
      if (is_here || !is_loopback(address)) peers.insert(address);
    }
  }
  const std::vector<IpAddress> allowed(peers.begin(), peers.end());
  for (UcxWorker* worker : {&worker_, &loop_.worker, &commits_.worker})
    worker->accept_only(allowed);
  if (copies_) copies_->worker.accept_only(allowed);
}

ProcessRank::~ProcessRank() = default;

const ProcessRank::Endpoint& ProcessRank::endpoint(std::uint32_t rank) const {
  const auto found = endpoints_.find(rank);
  MEGASCALE_CHECK(found != endpoints_.end(), "a rank uses only the groups of ProcessRank::Options");
  return found->second;
}

Communicator& ProcessRank::end(const std::string& key, std::span<const std::uint32_t> members,
                               std::uint32_t my_index, CUstream_st* stream) {
  auto& group = groups_[key];
  if (!group && stream != nullptr) {
    const auto size = static_cast<std::uint32_t>(members.size());
    const NcclId& id = nccl_id({key, {members.begin(), members.end()}});
    group = std::make_unique<NcclCommunicator>(
        nccl_.open(id, size, my_index, stream), size, my_index, wakeup_,
        has_window_.contains(key) ? window_ : std::span<std::byte>(),
        std::vector<std::uint32_t>(members.begin(), members.end()));
  }
  if (!group) {
    std::vector<std::vector<std::byte>> addresses;
    for (const std::uint32_t member : members) addresses.push_back(endpoint(member).data);
    group = worker_.make_group(addresses, my_index, key);
  }
  return *group;
}

const NcclId& ProcessRank::nccl_id(const Group& group) const {
  const std::uint32_t first = group.members.front();
  const auto& ids = endpoint(first).nccl;
  const auto found = ids.find(group.key);
  if (found == ids.end()) {
    throw Error(ErrorCode::corrupt_data,
                fmt::format("the record of rank {} in the store holds no NCCL id of group {}, "
                            "which that rank is the first of",
                            first, group.key));
  }
  return found->second;
}

void ProcessRank::leave(const Error& error) noexcept {
  for (const auto& [key, group] : groups_) group->abort(error);
  loop_.coordination->abort(error);
  commits_.coordination->abort(error);
  if (copies_) copies_->coordination->abort(error);
  // Over UCX, poll() of a failed group returns `moving` until the other members know of the
  // failure, or until they had enough time to learn of it. Over NCCL, it returns `failed` at once.
  for (const auto& [key, group] : groups_) {
    while (group->poll() == Progress::moving) std::this_thread::sleep_for(kLook);
  }
}

}  // namespace megascale::comm
