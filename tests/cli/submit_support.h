#ifndef MEGASCALE_TESTS_CLI_SUBMIT_SUPPORT_H_
#define MEGASCALE_TESTS_CLI_SUBMIT_SUPPORT_H_

#include <signal.h>
#include <unistd.h>

#include "cli/launch_support.h"
#include "cli/slurm.h"

// Jobs that `megascale submit --launcher slurm` hands over to a real Slurm.
namespace megascale::testing {

class SubmitSlurmTest : public LaunchTest {
 protected:
  // Submits a job of four ranks and returns its number.
  [[nodiscard]] std::string submit(const PrivateSlurm& slurm, const char* run, const char* hosts,
                                   const Settings& set) const {
    auto arguments = space.arguments("submit", run, four_ranks(set));
    for (const char* word : {"--launcher", "slurm", "--hosts", hosts}) arguments.emplace_back(word);
    const Finished submitted = megascale(arguments, {.environment = slurm.environment()});
    EXPECT_EQ(submitted.exit_code, 0) << submitted;
    return submitted.exit_code == 0 ? submitted.json().at("job").get<std::string>() : "";
  }
  // What Slurm says about a job: "COMPLETED", "RUNNING", ...; empty: it does not know the job.
  [[nodiscard]] static std::string value(const PrivateSlurm& slurm, const std::string& job,
                                         const std::string& key) {
    const std::string text = slurm.command({"scontrol", "show", "job", job});
    const auto at = text.find(" " + key + "=");
    if (at == std::string::npos) return "";
    const auto begin = at + key.size() + 2;
    return text.substr(begin, text.find_first_of(" \n", begin) - begin);
  }
  [[nodiscard]] static bool wait_for(const std::function<bool()>& condition, int seconds) {
    for (int i = 0; i < 20 * seconds; ++i) {
      if (condition()) return true;
      ::usleep(50'000);
    }
    return false;
  }
  [[nodiscard]] static std::string state(const PrivateSlurm& slurm, const std::string& job) {
    return value(slurm, job, "JobState");
  }
  // Waits until the job has ended, and returns its exit code as Slurm says it: "0:0".
  [[nodiscard]] std::string end_of(const PrivateSlurm& slurm, const std::string& job,
                                   int seconds) const {
    const auto has_ended = [&] {
      const std::string now = state(slurm, job);
      return now == "COMPLETED" || now == "FAILED" || now == "CANCELLED" || now == "TIMEOUT";
    };
    return wait_for(has_ended, seconds) ? value(slurm, job, "ExitCode")
                                        : "still " + state(slurm, job);
  }
  [[nodiscard]] std::string log_of(const char* run, const std::string& job) const {
    return read(space / run / ("slurm-" + job + ".log"));
  }
  [[nodiscard]] bool has_checkpoint(const char* run, std::int64_t least) const {
    const auto folder = space / run / "checkpoints";
    if (!std::filesystem::exists(folder)) return false;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      if (name.starts_with("step-") && name.size() == 13 && std::stoll(name.substr(5)) >= least)
        return true;
    }
    return false;
  }
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CLI_SUBMIT_SUPPORT_H_
