// The script has two parts: its head with Slurm's options and the values of the job, and a body that
// is equal for all jobs and reads these values. sbatch gets the script on its standard input and
// keeps a copy, so nothing has to lie on the disk.
#include "megascale/launch/scheduler/slurm.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "megascale/base/error.h"
#include "megascale/base/files.h"

namespace megascale::launch {
namespace {

constexpr const char* kBody = R"sh(
say() { echo "megascale: $*" >&2; }
# The address by which Slurm reaches this node.
address=${MEGASCALE_DRIVER_ADDRESS:-$(scontrol show node "$SLURMD_NODENAME" | sed -n 's/.*NodeAddr=\([^ ]*\).*/\1/p')}
# Two ports of this node: the driver's, and one to join the cluster. The search begins at the number of the job, so that jobs of
# one node seldom meet, and passes over ports at which somebody listens.
free_port() {
  local port=$1
  while (exec 3<>"/dev/tcp/$address/$port") 2>/dev/null; do port=$((port + 1)); done
  echo "$port"
}
port=$(free_port $((20000 + SLURM_JOB_ID % 6000))); join_port=$(free_port $((26001 + SLURM_JOB_ID % 6000)))
at="$address:$port"

# The cluster's authority, and a token for the nodes that have not joined yet.
umask 077
if [[ ! -e $credentials/authority.key ]]; then
  mkdir -p "$(dirname "$credentials")"
  "$program" cluster init "$credentials" --name megascale || exit 1
fi
"$program" cluster renew "$credentials" >/dev/null
"$program" cluster serve "$credentials" --listen "$address:$join_port" --for 10m & serving=$!
"$program" cluster token "$credentials" --address "$address:$join_port" --valid 10m --uses "$SLURM_JOB_NUM_NODES" \
  >"$credentials/join-token" || exit 1

# The driver is started again if a signal has ended it; the ranks go on meanwhile.
drive() {
  local child code
  trap 'kill "$child" 2>/dev/null; exit 0' TERM
  while true; do
    "$program" driver "$run_dir" --listen "$at" --credentials "$credentials" \
      --session-key "$SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0}" & child=$!
    wait "$child"; code=$?
    if ((code <= 128)); then return "$code"; fi
    say "the driver was ended by signal $((code - 128)) and is started again"
    sleep 0.2
  done
}
drive & driver=$!

# An executor on each node. A node that is lost must not end the others.
srun --ntasks-per-node=1 --kill-on-bad-exit=0 --wait=0 bash -c '
  own=$1/hosts/$SLURMD_NODENAME
  [[ -e $own/executor.crt ]] ||
    "$0" cluster join "$2" - "$own" --name "$SLURMD_NODENAME" <"$1/join-token" || exit 1
  exec "$0" executor --driver "$3" --credentials "$own" --name "$SLURMD_NODENAME"
' "$program" "$credentials" "$address:$join_port" "$at" & executors=$!

requeue=no
stop_job() { "$program" stop --driver "$at" --credentials "$credentials" || say "the job could not be asked to stop"; }
trap 'say "the time limit is near: the job saves and is put back into the queue"; requeue=yes; stop_job' USR1
trap 'stop_job' TERM

end() {
  kill "$serving" "$driver" "$executors" 2>/dev/null
  rm -f "$credentials/join-token"
  exit "$1"
}
"${submit[@]}" --driver "$at" --credentials "$credentials" --timeout 120
code=$?
if ((code != 0)); then say "the driver does not take the job"; end "$code"; fi

# A signal ends a wait early; the driver's end is what counts.
while true; do
  wait "$driver"; code=$?
  if ((code != 138 && code != 143)); then break; fi
done
wait "$executors"
if [[ $requeue == yes && $code == 0 ]]; then scontrol requeue "$SLURM_JOB_ID"; fi
if ((code == 2 || code == 3)); then scontrol update "JobId=$SLURM_JOB_ID" Requeue=0; fi
end "$code"
)sh";

// Slurm replaces %j and the like in names of files.
std::string without_patterns(const std::string& path) {
  std::string escaped;
  for (const char one : path) escaped += one == '%' ? "%%" : std::string(1, one);
  return escaped;
}

void require_option(const std::string& option) {
  if (option.starts_with("--") && option.size() > 2 &&
      option.find_first_of(std::string_view("\n\r\0", 3)) == std::string::npos)
    return;
  throw Error(
      ErrorCode::bad_usage,
      fmt::format("--slurm: expected an option of sbatch such as --partition=gpu, found \"{}\"",
                  option));
}

}  // namespace

std::string slurm_script(const SlurmJob& slurm) {
  const ClusterJob& job = slurm.job;
  std::vector<std::string> options{
      fmt::format("--job-name={}", shell_quote(job.name)),
      fmt::format("--nodes={}", job.hosts + job.spares),
      "--ntasks-per-node=1",
      fmt::format("--chdir={}", shell_quote(job.directory.string())),
      fmt::format("--output={}",
                  shell_quote(without_patterns(job.run_dir.string()) + "/slurm-%j.log")),
      "--open-mode=append",
      "--requeue",
      fmt::format("--signal=B:USR1@{}", job.save_seconds)};
  if (!slurm.time.empty()) options.push_back("--time=" + shell_quote(slurm.time));
  if (job.spares > 0) options.emplace_back("--no-kill");
  for (const std::string& option : slurm.options) {
    require_option(option);
    options.push_back(option);
  }
  std::vector<std::string> submit{shell_quote(job.program.string())};
  for (const std::string& word : submit_arguments(job)) submit.push_back(shell_quote(word));
  std::string script = "#!/bin/bash\n";
  for (const std::string& option : options) script += "#SBATCH " + option + "\n";
  script += fmt::format("\nprogram={}\nrun_dir={}\ncredentials={}\nsubmit=({})\n",
                        shell_quote(job.program.string()), shell_quote(job.run_dir.string()),
                        shell_quote(job.credentials.string()), fmt::join(submit, " "));
  return script + kBody;
}

std::string sbatch(const std::string& script) {
  std::array<int, 2> in{}, out{};
  if (::pipe2(in.data(), O_CLOEXEC) != 0) throw Error(ErrorCode::io, "pipe cannot be made");
  const FileHandle in_reader(in[0]);
  FileHandle in_writer(in[1]);
  if (::pipe2(out.data(), O_CLOEXEC) != 0) throw Error(ErrorCode::io, "pipe cannot be made");
  const FileHandle out_reader(out[0]);
  FileHandle out_writer(out[1]);
  const pid_t child = ::fork();
  if (child < 0) throw Error(ErrorCode::io, "sbatch cannot be started: fork fails");
  if (child == 0) {
    (void)::dup2(in_reader.get(), STDIN_FILENO);
    (void)::dup2(out_writer.get(), STDOUT_FILENO);
    (void)::dup2(out_writer.get(), STDERR_FILENO);
    (void)::execlp("sbatch", "sbatch", "--parsable", nullptr);
    ::_exit(127);
  }
  out_writer = FileHandle();
  (void)::signal(SIGPIPE, SIG_IGN);  // sbatch may end without reading
  try {
    write_all(in_writer, script, "the input of sbatch");
  } catch (const Error&) {
    // What sbatch says tells more.
  }
  in_writer = FileHandle();
  std::string said;
  std::array<char, 4096> buffer{};
  for (ssize_t count = 0; (count = ::read(out_reader.get(), buffer.data(), buffer.size())) != 0;) {
    if (count > 0) said.append(buffer.data(), static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) break;
  }
  int status = 0;
  (void)::waitpid(child, &status, 0);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    throw Error(
        ErrorCode::failed,
        "expected Slurm's command sbatch, found none: run this where jobs are submitted, or "
        "write the script with --print");
  }
  const std::string number = said.substr(0, said.find_first_of(";\n"));
  if (status != 0 || number.empty() || number.find_first_not_of("0123456789") != std::string::npos)
    throw Error(ErrorCode::failed, "sbatch: " + said);
  return number;
}

}  // namespace megascale::launch
