// The batch script of a job: its options, its words, and that a shell can read it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "megascale/base/error.h"
#include "megascale/launch/scheduler/slurm.h"
#include "support/scratch_directory.h"

namespace megascale::launch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SlurmJob some_job() {
  return {.job = {.name = "gpt2",
                  .program = "/opt/mega scale/megascale",
                  .directory = "/shared/it's here",
                  .run_dir = "/shared/100%/run",
                  .config = "/shared/gpt2.toml",
                  .credentials = "/shared/cluster",
                  .overrides = {"optimizer.lr=0.5", "data.data_path=/a b/$HOME"},
                  .ranks = 8,
                  .hosts = 2},
          .time = "1-00:00:00",
          .options = {"--partition=gpu"}};
}

std::string refusal_of(const SlurmJob& job) {
  try {
    (void)slurm_script(job);
  } catch (const Error& error) {
    return error.code() == ErrorCode::bad_usage ? error.message() : "another code";
  }
  return "";
}

TEST(SlurmScriptTest, HasTheOptionsOfTheJob) {
  const std::string script = slurm_script(some_job());
  for (const char* line :
       {"#SBATCH --nodes=2\n", "#SBATCH --requeue\n", "#SBATCH --signal=B:USR1@120\n",
        "#SBATCH --time='1-00:00:00'\n", "#SBATCH --partition=gpu\n",
        "#SBATCH --chdir='/shared/it'\\''s here'\n",
        "#SBATCH --output='/shared/100%%/run/slurm-%j.log'\n",
        "submit=('/opt/mega scale/megascale' 'submit' '/shared/gpt2.toml' '--set' "
        "'optimizer.lr=0.5' '--set' 'data.data_path=/a b/$HOME' '--ranks' '8' '--hosts' '2')\n"})
    EXPECT_THAT(script, HasSubstr(line));
  EXPECT_THAT(script, Not(HasSubstr("--no-kill")));
}

TEST(SlurmScriptTest, SparesKeepTheAllocationWhenANodeIsLost) {
  SlurmJob job = some_job();
  job.job.spares = 1;
  EXPECT_THAT(slurm_script(job), HasSubstr("#SBATCH --nodes=3\n"));
  EXPECT_THAT(slurm_script(job), HasSubstr("#SBATCH --no-kill\n"));
}

TEST(SlurmScriptTest, AShellReadsTheScriptAndItsWords) {
  const testing::ScratchDirectory scratch;
  const auto path = scratch.write("script", slurm_script(some_job()));
  EXPECT_EQ(std::system(("bash -n " + path.string()).c_str()), 0);
  const std::string word = "a 'b' \"c\" $d `e` \\f";
  const auto echo = scratch.write("echo", "printf %s " + shell_quote(word));
  const std::string compare = "test \"$(sh " + echo.string() + ")\" = \"$(cat " +
                              scratch.write("word", word).string() + ")\"";
  EXPECT_EQ(std::system(compare.c_str()), 0);
}

TEST(SlurmScriptTest, WhatWouldBeAnotherLineIsRefused) {
  SlurmJob job = some_job();
  job.options = {"--x\nrm -rf /"};
  EXPECT_THAT(refusal_of(job), HasSubstr("expected an option of sbatch"));
  job.options = {"partition=gpu"};
  EXPECT_THAT(refusal_of(job), HasSubstr("found \"partition=gpu\""));
  job = some_job();
  job.job.overrides = {"a=1\nb"};
  EXPECT_THAT(refusal_of(job), HasSubstr("without end of line"));
}

}  // namespace
}  // namespace megascale::launch
