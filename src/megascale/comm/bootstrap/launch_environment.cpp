// Reads rank, world size, store address and job id from environment variables. The difficulty is
// that launchers nest: mpirun inside a Slurm allocation sets its own variables besides Slurm's, and
// a user may have exported RANK. launchers_present() orders the launchers by priority, and
// check_agreement() refuses contradictions. All problems are collected and reported in one error.
#include "megascale/comm/bootstrap/launch_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <vector>

#include "megascale/base/digest.h"
#include "megascale/base/environment.h"

namespace megascale::comm {
namespace {

// Names of the variables of one launcher; null if it has no such variable.
struct Launcher {
  const char *rank, *world_size, *local_rank, *local_world_size;
};
constexpr Launcher kExplicit{"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
constexpr Launcher kOpenMpi{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                            "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr Launcher kMpich{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"};
constexpr Launcher kSlurmStep{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr};
constexpr Launcher kSlurm{"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", nullptr};
constexpr Launcher kPmix{"PMIX_RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};

constexpr const char* kStepNodes = "SLURM_STEP_NODELIST";

// Reads variables and collects errors.
class Reader {
 public:
  explicit Reader(const Lookup& lookup) : lookup_(lookup) {}

  // Returns the value of a variable. An empty value counts as not set, as it does for launchers.
  [[nodiscard]] std::optional<std::string> text(const char* name) const {
    const char* value = name == nullptr ? nullptr : lookup_(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  }
  std::optional<std::uint32_t> number(const char* name) {
    const auto value = text(name);
    if (!value) return std::nullopt;
    std::uint32_t result = 0;
    const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), result);
    if (error == std::errc() && end == value->data() + value->size()) return result;
    complain(fmt::format("{} = '{}': expected a whole number from 0", name, *value));
    return std::nullopt;
  }
  void complain(std::string message) {
    errors_.emplace_back(ErrorCode::bad_usage, std::move(message));
  }
  void throw_errors() const {
    if (!errors_.empty()) throw join_errors(errors_);
  }

 private:
  const Lookup& lookup_;
  std::vector<Error> errors_;
};

// Returns the number of tasks on a node from Slurm's list, or nothing if the list does not contain
// the node. "4(x2),3" means 4 tasks on node 0, 4 on node 1 and 3 on node 2.
std::optional<std::uint32_t> tasks_of_node(std::string_view list, std::uint32_t node) {
  std::uint32_t first = 0;
  while (!list.empty()) {
    std::uint32_t tasks = 0, times = 1;
    const std::string_view item = list.substr(0, list.find(','));
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), tasks);
    if (error != std::errc()) return std::nullopt;
    const std::string_view rest(end, static_cast<std::size_t>(item.data() + item.size() - end));
    if (rest.starts_with("(x")) std::from_chars(rest.data() + 2, rest.data() + rest.size(), times);
    if (node < first + times) return tasks;
    first += times;
    list.remove_prefix(std::min(list.size(), item.size() + 1));
  }
  return std::nullopt;
}

// Returns the launchers that gave this process a rank. The first one decides.
std::vector<Launcher> launchers_present(const Reader& reader) {
  std::vector<Launcher> present;
  if (reader.text(kExplicit.rank)) present.push_back(kExplicit);
  if (reader.text(kOpenMpi.rank)) present.push_back(kOpenMpi);
  // A batch script without srun also has SLURM_PROCID = 0, but it is a single process.
  const bool by_srun = reader.text(kSlurm.rank) && reader.text(kStepNodes);
  const Launcher& slurm = reader.text(kSlurmStep.world_size) ? kSlurmStep : kSlurm;
  // srun --mpi=pmi2 also sets MPICH's variables for rank and size, but not those for the local
  // rank, so Slurm's are used. MPICH's own launcher under Slurm runs one task of srun on each host.
  // Its numbers then differ from Slurm's, and they count.
  const bool pmi_of_srun = by_srun && reader.text(kMpich.rank) == reader.text(slurm.rank) &&
                           reader.text(kMpich.world_size) == reader.text(slurm.world_size);
  if (reader.text(kMpich.rank) && !pmi_of_srun) present.push_back(kMpich);
  if (by_srun) present.push_back(slurm);
  if (present.empty() && reader.text(kPmix.rank)) present.push_back(kPmix);
  return present;
}

void read_ranks(Reader& reader, const Launcher& launcher, LaunchEnvironment& launch) {
  const auto rank = reader.number(launcher.rank), size = reader.number(launcher.world_size);
  if (!reader.text(launcher.world_size))
    reader.complain(fmt::format("{} is set but {} is not", launcher.rank, launcher.world_size));
  const auto local = reader.number(launcher.local_rank);
  auto local_size = reader.number(launcher.local_world_size);
  if (launcher.local_world_size == nullptr) {
    const auto tasks = reader.text("SLURM_STEP_TASKS_PER_NODE");
    local_size = tasks_of_node(tasks.value_or("1"), reader.number("SLURM_NODEID").value_or(0));
    if (!local_size) {
      reader.complain(fmt::format("SLURM_STEP_TASKS_PER_NODE = '{}' has no node SLURM_NODEID = {}",
                                  tasks.value_or(""), reader.text("SLURM_NODEID").value_or("")));
    }
  } else if (local.has_value() != local_size.has_value()) {
    reader.complain(fmt::format("of {} and {} only one is set", launcher.local_rank,
                                launcher.local_world_size));
  }
  if (!rank || !size) return;
  launch.rank = *rank;
  launch.world_size = *size;
  launch.local_rank = local.value_or(0);
  launch.local_world_size = local_size.value_or(1);
  if (*rank >= *size) {
    reader.complain(fmt::format("{} = {} is not below {} = {}", launcher.rank, *rank,
                                launcher.world_size, *size));
  }
  if (launch.local_rank >= launch.local_world_size || launch.local_world_size > *size) {
    reader.complain(fmt::format("local rank {} of {} local ranks of {} ranks is impossible ({})",
                                launch.local_rank, launch.local_world_size, *size,
                                launcher.local_rank));
  }
}

// Refuses two launchers that give different ranks for the same world size. Example: a user has
// exported RANK=0 before mpirun, so every process would be rank 0.
void check_agreement(Reader& reader, std::span<const Launcher> present) {
  for (const Launcher& other : present.subspan(1)) {
    const Launcher& first = present.front();
    const auto rank = reader.number(first.rank), size = reader.number(first.world_size);
    const auto other_rank = reader.number(other.rank), other_size = reader.number(other.world_size);
    // If the sizes differ, one launcher was started by the other, and only the inner one counts.
    if (rank && other_rank && size == other_size && *rank != *other_rank) {
      reader.complain(
          fmt::format("{} = {} contradicts {} = {}, both of {} ranks: unset the wrong one",
                      first.rank, *rank, other.rank, *other_rank, size.value_or(0)));
    }
  }
}

// Returns "ID#RESTARTS": the id of the job and the number of its restarts.
std::string read_job(Reader& reader) {
  std::string job;
  for (const char* name : {"MEGASCALE_JOB_ID", "TORCHELASTIC_RUN_ID", "SLURM_JOB_ID",
                           "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"}) {
    const auto value = reader.text(name);
    if (!value) continue;
    job = *value;
    if (std::string_view(name) == "SLURM_JOB_ID" && reader.text("SLURM_STEP_ID"))
      job = fmt::format("{}.{}", job, *reader.text("SLURM_STEP_ID"));
    const auto plain = [](unsigned char c) {
      return std::isgraph(c) != 0 && c < 0x80 && c != '{' && c != '}';
    };
    constexpr std::size_t kMax = 128;
    if (job.size() > kMax || !std::all_of(job.begin(), job.end(), plain)) {
      reader.complain(
          fmt::format("{} = '{}': expected at most {} printable characters other than "
                      "space and braces",
                      name, job, kMax));
    }
    break;
  }
  for (const char* name :
       {"MEGASCALE_RESTART_COUNT", "TORCHELASTIC_RESTART_COUNT", "SLURM_RESTART_COUNT"}) {
    if (const auto count = reader.number(name)) return fmt::format("{}#{}", job, *count);
  }
  return job + "#0";
}

// Returns a port that depends on the job's id, so that all ranks compute the same one. It lies
// below the range that the kernel uses for outgoing connections.
std::uint16_t port_of(std::string_view job) {
  constexpr std::uint64_t kFirst = 20'000, kCount = 12'000;
  const std::uint64_t digest = digest64(std::as_bytes(std::span(job.data(), job.size())));
  return static_cast<std::uint16_t>(kFirst + digest % kCount);
}

// Returns the address from MASTER_ADDR and MASTER_PORT, or nothing if they are not set. If
// torchrun's own store uses that port, the next port is taken.
std::optional<StoreAddress> read_master(Reader& reader) {
  const auto host = reader.text("MASTER_ADDR");
  const auto port = reader.number("MASTER_PORT");
  if (host.has_value() != reader.text("MASTER_PORT").has_value()) {
    reader.complain(fmt::format("{} is set but {} is not", host ? "MASTER_ADDR" : "MASTER_PORT",
                                host ? "MASTER_PORT" : "MASTER_ADDR"));
  }
  if (!host || !port) return std::nullopt;
  const bool taken = reader.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  if (*port + (taken ? 1 : 0) > 65'535 || *port == 0)
    reader.complain(fmt::format("MASTER_PORT = {}: expected 1 to 65535", *port));
  return StoreAddress{.host = *host, .port = static_cast<std::uint16_t>(*port + (taken ? 1 : 0))};
}

StoreAddress read_store(Reader& reader, const LaunchEnvironment& launch) {
  if (const auto given = reader.text("MEGASCALE_STORE")) return parse_store_address(*given);
  if (const auto master = read_master(reader)) return *master;
  reader.throw_errors();
  const bool one_host = launch.local_world_size == launch.world_size;
  const auto nodes = reader.text(kStepNodes);
  const bool has_id = launch.job.front() != '#';
  if (launch.world_size == 1) return {};
  if (has_id && one_host) return {.host = "127.0.0.1", .port = port_of(launch.job)};
  if (has_id && nodes) return {.host = first_host(*nodes), .port = port_of(launch.job)};
  reader.complain(
      "MASTER_ADDR and MASTER_PORT are not set: give every rank the address of rank 0's "
      "host and a free port there, or MEGASCALE_STORE");
  return {};
}

bool read_store_by(Reader& reader) {
  const std::string by = reader.text("MEGASCALE_STORE_BY").value_or("rank0");
  if (by != "rank0" && by != "launcher")
    reader.complain(fmt::format("MEGASCALE_STORE_BY = '{}': expected rank0 or launcher", by));
  return by == "launcher";
}

}  // namespace

std::string first_host(std::string_view node_list) {
  std::string host;
  for (std::size_t i = 0; i < node_list.size() && node_list[i] != ','; ++i) {
    if (node_list[i] != '[') {
      host += node_list[i];
      continue;
    }
    const std::size_t end = std::min(node_list.find(']', i), node_list.size());
    const std::string_view range = node_list.substr(i + 1, end - i - 1);
    host += range.substr(0, range.find_first_of(",-"));
    i = end;
  }
  return host;
}

std::optional<LaunchEnvironment> read_launch_environment(const Lookup& lookup) {
  Reader reader(lookup);
  const std::vector<Launcher> present = launchers_present(reader);
  if (present.empty()) {
    if (!reader.text(kExplicit.world_size)) return std::nullopt;
    reader.complain("WORLD_SIZE is set but RANK is not");
    reader.throw_errors();
  }
  LaunchEnvironment launch;
  read_ranks(reader, present.front(), launch);
  check_agreement(reader, present);
  launch.job = read_job(reader);
  launch.launcher_runs_store = read_store_by(reader);
  launch.store = read_store(reader, launch);
  reader.throw_errors();
  return launch;
}

std::optional<LaunchEnvironment> read_launch_environment() {
  // Read once, at start, before other threads exist.
  return read_launch_environment(environment_variable);
}

}  // namespace megascale::comm
