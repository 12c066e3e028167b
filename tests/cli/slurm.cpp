#include "cli/slurm.h"

#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <thread>

#include "cli/free_port.h"
#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// A name of this machine that leads to it everywhere. (Slurm takes "localhost" for the host's own.)
constexpr const char* kFirstNode = "127.0.0.1";

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

bool wait_until(const std::function<bool()>& condition, std::chrono::seconds at_most) {
  const auto end = Clock::now() + at_most;
  while (!condition()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(50ms);
  }
  return true;
}

std::string own_host() {
  std::array<char, 256> name{};
  (void)::gethostname(name.data(), name.size() - 1);
  const std::string host = name.data();
  return host.substr(0, host.find('.'));
}

}  // namespace

PrivateSlurm::PrivateSlurm(int nodes) {
  // Debian keeps the daemons where users do not look.
  const char* path = std::getenv("PATH");
  ::setenv("PATH", (std::string(path == nullptr ? "" : path) + ":/usr/sbin").c_str(), 1);
  for (const char* program : {"munged", "slurmctld", "slurmd", "srun", "scancel"}) {
    if (is_installed(program)) continue;
    missing_ = std::string("no ") + program + " here (packages munge, slurmctld, slurmd)";
    return;
  }
  write_configuration(nodes);
  const std::string configuration = scratch_ / "slurm.conf", socket = scratch_ / "munge.sock";
  // Its checks of directories are for sockets that other users share.
  start({"munged", "--foreground", "--force", "--num-threads=1", "--socket=" + socket,
         "--key-file=" + (scratch_ / "munge.key").string(),
         "--pid-file=" + (scratch_ / "munge.pid").string(),
         "--log-file=" + (scratch_ / "munge.log").string(),
         "--seed-file=" + (scratch_ / "munge.seed").string()});
  wait_until([&] { return std::filesystem::exists(socket); }, 10s);
  start({"slurmctld", "-D", "-c", "-f", configuration});
  start({"slurmd", "-D", "-N", kFirstNode, "-f", configuration});
  if (nodes > 1) start({"slurmd", "-D", "-N", own_host(), "-f", configuration});
  wait_until([&] { return all_idle(nodes) || a_daemon_has_ended(); }, 30s);
  if (!all_idle(nodes)) missing_ = "a private Slurm does not start here: " + read(scratch_ / "log");
}

PrivateSlurm::~PrivateSlurm() {
  if (missing_.empty() && !jobs().empty()) {
    for (const std::string& job : jobs()) command({"scancel", "--signal=KILL", "--full", job});
    wait_until([&] { return jobs().empty(); }, 10s);
  }
  std::reverse(daemons_.begin(), daemons_.end());
  for (const pid_t daemon : daemons_) {
    ::kill(daemon, SIGTERM);
    if (!wait_until([&] { return ::waitpid(daemon, nullptr, WNOHANG) != 0; }, 10s)) {
      ::kill(daemon, SIGKILL);
      ::waitpid(daemon, nullptr, 0);
    }
  }
}

std::vector<std::string> PrivateSlurm::environment() const {
  return {"SLURM_CONF=" + (scratch_ / "slurm.conf").string()};
}

std::vector<std::string> PrivateSlurm::jobs() const {
  std::istringstream words(command({"squeue", "--noheader", "--format=%i"}));
  return {std::istream_iterator<std::string>(words), {}};
}

void PrivateSlurm::write_configuration(int nodes) {
  std::string key(128, '\0');
  std::random_device random;
  std::generate(key.begin(), key.end(), [&] { return static_cast<char>(random()); });
  std::filesystem::permissions(scratch_.write("munge.key", key),
                               std::filesystem::perms::owner_read);
  for (const char* directory : {"state", "spool"})
    std::filesystem::create_directory(scratch_ / directory);
  for (const std::string& node : {std::string(kFirstNode), own_host()})
    std::filesystem::create_directory(scratch_ / "spool" / node);
  const int control = free_port(), first = free_port(control + 1), second = free_port(first + 1);
  const std::string user = ::getpwuid(::geteuid())->pw_name;
  std::ostringstream text;
  text << "ClusterName=test\n"
       << "SlurmctldHost=" << own_host() << "(127.0.0.1)\n"
       << "SlurmUser=" << user << "\nSlurmdUser=" << user << "\n"
       << "AuthType=auth/munge\nCredType=cred/munge\n"
       // A requeued job waits until the credentials of its earlier run have expired.
       << "AuthInfo=socket=" << (scratch_ / "munge.sock").string() << ",cred_expire=5\n"
       << "SlurmctldPort=" << control << "\n"
       << "StateSaveLocation=" << (scratch_ / "state").string() << "\n"
       << "SlurmdSpoolDir=" << (scratch_ / "spool").string() << "/%n\n"
       << "SlurmctldPidFile=" << (scratch_ / "slurmctld.pid").string() << "\n"
       << "SlurmdPidFile=" << (scratch_ / "slurmd").string()
       << "-%n.pid\n"
       // The job's number decides the port of its store: another one for every Slurm of this kind.
       << "FirstJobId=" << 1 + ::getpid() % 1'000'000 << "\n"
       << "ProctrackType=proctrack/pgid\nTaskPlugin=task/none\nSwitchType=switch/none\n"
       << "SelectType=select/linear\nMpiDefault=none\nReturnToService=2\n"
       << "SlurmdParameters=config_overrides\n"
       << "NodeName=" << kFirstNode << " NodeAddr=127.0.0.1 CPUs=4 Port=" << first << "\n";
  if (nodes > 1)
    text << "NodeName=" << own_host() << " NodeAddr=127.0.0.1 CPUs=4 Port=" << second << "\n";
  text << "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n";
  scratch_.write("slurm.conf", text.str());
}

void PrivateSlurm::start(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const std::string log = scratch_ / "log";
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (std::freopen(log.c_str(), "a", stdout) == nullptr ||
        ::dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
      ::_exit(126);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  if (pid > 0) daemons_.push_back(pid);
}

std::string PrivateSlurm::command(const std::vector<std::string>& words) const {
  std::string line = environment().front();
  for (const std::string& word : words) line += " " + word;
  const std::unique_ptr<FILE, decltype(&::pclose)> pipe(::popen((line + " 2>&1").c_str(), "r"),
                                                        ::pclose);
  std::string text;
  std::array<char, 4096> buffer{};
  while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr)
    text += buffer.data();
  return text;
}

bool PrivateSlurm::a_daemon_has_ended() const {
  return std::any_of(daemons_.begin(), daemons_.end(), [](pid_t daemon) {
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(daemon), &ended, WEXITED | WNOHANG | WNOWAIT);
    return ended.si_pid == daemon;
  });
}

bool PrivateSlurm::all_idle(int nodes) const {
  std::istringstream states(command({"sinfo", "--noheader", "--Node", "--format=%T"}));
  int idle = 0;
  for (std::string state; states >> state;) idle += state == "idle" ? 1 : 0;
  return idle == nodes;
}

}  // namespace megascale::testing
