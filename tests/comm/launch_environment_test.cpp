#include "megascale/comm/bootstrap/launch_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>

#include "megascale/comm/store/secret.h"
#include "support/scratch_directory.h"

namespace megascale::comm {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

Lookup of(const Variables& variables) {
  return [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

std::string error_of(const Variables& variables) {
  try {
    (void)read_launch_environment(of(variables));
    return "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    return error.message();
  }
}

LaunchEnvironment read(const Variables& variables) {
  const auto launch = read_launch_environment(of(variables));
  return launch.value_or(LaunchEnvironment{.rank = 999});
}

const Variables kTorch{{"RANK", "5"},
                       {"WORLD_SIZE", "16"},
                       {"LOCAL_RANK", "1"},
                       {"LOCAL_WORLD_SIZE", "4"},
                       {"MASTER_ADDR", "node0"},
                       {"MASTER_PORT", "29500"}};
const Variables kSlurm{{"SLURM_PROCID", "6"},
                       {"SLURM_STEP_NUM_TASKS", "7"},
                       {"SLURM_LOCALID", "2"},
                       {"SLURM_NODEID", "1"},
                       {"SLURM_NTASKS", "7"},
                       {"SLURM_STEP_TASKS_PER_NODE", "4,3"},
                       {"SLURM_JOB_ID", "771"},
                       {"SLURM_STEP_ID", "0"},
                       {"SLURM_STEP_NODELIST", "rack[02-03]n[1,7]"}};
const Variables kOpenMpi{
    {"OMPI_COMM_WORLD_RANK", "2"},           {"OMPI_COMM_WORLD_SIZE", "4"},
    {"OMPI_COMM_WORLD_LOCAL_RANK", "2"},     {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
    {"PMIX_NAMESPACE", "prterun-host-77@1"}, {"PMIX_RANK", "2"}};

Variables with(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more) variables[name] = value;
  return variables;
}

TEST(LaunchEnvironmentTest, WithoutALauncherThereIsNone) {
  EXPECT_FALSE(read_launch_environment(of({})));
  // A batch script of Slurm without srun is one process.
  EXPECT_FALSE(read_launch_environment(of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}})));
}

TEST(LaunchEnvironmentTest, ReadsTorchruns) {
  const LaunchEnvironment launch =
      read(with(kTorch, {{"TORCHELASTIC_RUN_ID", "run1"}, {"TORCHELASTIC_RESTART_COUNT", "2"}}));
  EXPECT_EQ(launch.rank, 5U);
  EXPECT_EQ(launch.world_size, 16U);
  EXPECT_EQ(launch.local_rank, 1U);
  EXPECT_EQ(launch.local_world_size, 4U);
  EXPECT_EQ(to_string(launch.store), "tcp://node0:29500");
  EXPECT_EQ(launch.job, "run1#2");
  EXPECT_EQ(read(with(kTorch, {{"TORCHELASTIC_USE_AGENT_STORE", "True"}})).store.port, 29501);
  EXPECT_FALSE(read(kTorch).launcher_runs_store);
  EXPECT_TRUE(read(with(kTorch, {{"MEGASCALE_STORE_BY", "launcher"}})).launcher_runs_store);
  EXPECT_EQ(to_string(read(with(kTorch, {{"MEGASCALE_STORE", "redis://[::1]:6379"}})).store),
            "redis://[::1]:6379");
}

TEST(LaunchEnvironmentTest, ReadsOpenMpis) {
  const LaunchEnvironment launch = read(kOpenMpi);
  EXPECT_EQ(launch.rank, 2U);
  EXPECT_EQ(launch.world_size, 4U);
  EXPECT_EQ(launch.local_rank, 2U);
  EXPECT_EQ(launch.job, "prterun-host-77@1#0");
  // All on one host: the port follows from the job, so that all ranks have the same.
  EXPECT_EQ(launch.store.host, "127.0.0.1");
  EXPECT_GE(launch.store.port, 20'000);
  EXPECT_LT(launch.store.port, 32'768);
  EXPECT_EQ(launch.store,
            read(with(kOpenMpi, {{"OMPI_COMM_WORLD_RANK", "3"}, {"PMIX_RANK", "3"}})).store);
  EXPECT_NE(launch.store.port,
            read(with(kOpenMpi, {{"PMIX_NAMESPACE", "prterun-host-78@1"}})).store.port);
  EXPECT_THAT(error_of(with(kOpenMpi, {{"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}})),
              HasSubstr("MASTER_ADDR"));
}

TEST(LaunchEnvironmentTest, ReadsSlurms) {
  const LaunchEnvironment launch = read(kSlurm);
  EXPECT_EQ(launch.rank, 6U);
  EXPECT_EQ(launch.world_size, 7U);
  EXPECT_EQ(launch.local_rank, 2U);
  EXPECT_EQ(launch.local_world_size, 3U);
  EXPECT_EQ(launch.store.host, "rack02n1");
  EXPECT_EQ(launch.job, "771.0#0");
  EXPECT_THAT(error_of(with(kSlurm, {{"SLURM_NODEID", "2"}})),
              HasSubstr("SLURM_STEP_TASKS_PER_NODE"));
}

// srun --mpi=pmi2 speaks MPICH's language, without the ranks of a host.
TEST(LaunchEnvironmentTest, ReadsSlurmsThatLookLikeMpichs) {
  const LaunchEnvironment launch = read(with(kSlurm, {{"PMI_RANK", "6"}, {"PMI_SIZE", "7"}}));
  EXPECT_EQ(launch.rank, 6U);
  EXPECT_EQ(launch.local_rank, 2U);
  EXPECT_EQ(launch.local_world_size, 3U);
  // MPICH's launcher, with a task of srun on each of two hosts.
  const LaunchEnvironment mpich = read(with(kSlurm, {{"SLURM_PROCID", "1"},
                                                     {"SLURM_STEP_NUM_TASKS", "2"},
                                                     {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"},
                                                     {"SLURM_LOCALID", "0"},
                                                     {"PMI_RANK", "5"},
                                                     {"PMI_SIZE", "8"},
                                                     {"MPI_LOCALRANKID", "1"},
                                                     {"MPI_LOCALNRANKS", "4"}}));
  EXPECT_EQ(mpich.rank, 5U);
  EXPECT_EQ(mpich.local_rank, 1U);
  EXPECT_EQ(mpich.local_world_size, 4U);
}

TEST(LaunchEnvironmentTest, ReadsPmixAndMpich) {
  const Variables master{{"MASTER_ADDR", "h"}, {"MASTER_PORT", "1"}};
  EXPECT_EQ(read(with(master, {{"PMIX_RANK", "3"}, {"WORLD_SIZE", "4"}})).rank, 3U);
  EXPECT_THAT(error_of(with(master, {{"PMIX_RANK", "3"}})), HasSubstr("WORLD_SIZE is not"));
  EXPECT_EQ(read(with(master, {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}})).world_size, 2U);
}

TEST(LaunchEnvironmentTest, NamesWhatIsMissingOrWrong) {
  EXPECT_THAT(error_of({{"RANK", "0"}}), HasSubstr("RANK is set but WORLD_SIZE is not"));
  EXPECT_THAT(error_of({{"WORLD_SIZE", "2"}}), HasSubstr("WORLD_SIZE is set but RANK is not"));
  EXPECT_THAT(error_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}}),
              AllOf(HasSubstr("MASTER_ADDR"), HasSubstr("MASTER_PORT")));
  EXPECT_THAT(error_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "h"}}),
              HasSubstr("MASTER_ADDR is set but MASTER_PORT is not"));
  EXPECT_THAT(error_of(with(kTorch, {{"RANK", "16"}})),
              HasSubstr("RANK = 16 is not below WORLD_SIZE = 16"));
  // Several at once.
  EXPECT_THAT(error_of(with(kTorch, {{"RANK", "x"}, {"MASTER_PORT", "99999999999"}})),
              AllOf(HasSubstr("RANK = 'x'"), HasSubstr("MASTER_PORT = '99999999999'")));
  EXPECT_THAT(error_of(with(kTorch, {{"MASTER_PORT", "70000"}})), HasSubstr("70000"));
  EXPECT_THAT(error_of(with(kTorch, {{"LOCAL_RANK", "4"}})), HasSubstr("local rank 4 of 4"));
  EXPECT_THAT(error_of({{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"LOCAL_RANK", "0"}}),
              HasSubstr("only one is set"));
  EXPECT_THAT(error_of(with(kTorch, {{"MEGASCALE_JOB_ID", "a b"}})), HasSubstr("MEGASCALE_JOB_ID"));
  EXPECT_THAT(error_of(with(kTorch, {{"MEGASCALE_STORE", "nonsense"}})), HasSubstr("'nonsense'"));
  EXPECT_THAT(error_of(with(kTorch, {{"MEGASCALE_STORE_BY", "me"}})),
              HasSubstr("MEGASCALE_STORE_BY = 'me': expected rank0 or launcher"));
}

TEST(LaunchEnvironmentTest, NamesContradictions) {
  // RANK = 0 was exported before mpirun.
  EXPECT_THAT(
      error_of(
          with(kOpenMpi,
               {{"RANK", "0"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "h"}, {"MASTER_PORT", "1"}})),
      AllOf(HasSubstr("RANK = 0"), HasSubstr("OMPI_COMM_WORLD_RANK = 2")));
  // torchrun as a task of srun: the inner one's ranks count.
  EXPECT_EQ(read(with(kSlurm, kTorch)).rank, 5U);
}

TEST(LaunchEnvironmentTest, ExpandsTheFirstHost) {
  EXPECT_EQ(first_host("n1"), "n1");
  EXPECT_EQ(first_host("n1,n2"), "n1");
  EXPECT_EQ(first_host("r[2-3]n[07-12,14],x"), "r2n07");
  EXPECT_EQ(first_host("n[3"), "n3");
  EXPECT_EQ(first_host(""), "");
}

TEST(StoreAddressTest, ReadsAndWritesEveryForm) {
  for (const char* text :
       {"tcp://h:1", "redis://10.0.0.1:6379", "redis+unix:///run/r.sock", "tcp://[fe80::1]:9"})
    EXPECT_EQ(to_string(parse_store_address(text)), text);
  EXPECT_EQ(parse_store_address("h:1"), parse_store_address("tcp://h:1"));
  for (const char* text :
       {"", "h", "h:", ":1", "h:x", "h:65536", "a:b:1", "http://h:1", "redis+unix://x", "redis://"})
    EXPECT_THROW((void)parse_store_address(text), Error) << text;
}

class SecretTest : public ::testing::Test {
 protected:
  std::filesystem::path file(std::string_view text, mode_t mode) {
    auto path = scratch_.write("secret", text);
    ::chmod(path.c_str(), mode);
    return path;
  }
  static std::string message_of(const std::function<void()>& act) {
    try {
      act();
      return "no error";
    } catch (const Error& error) {
      return error.message();
    }
  }

 private:
  testing::ScratchDirectory scratch_;
};

TEST_F(SecretTest, ComesFromTheEnvironmentOrAPrivateFile) {
  const Variables direct{{"MEGASCALE_JOB_SECRET", " sixteen bytes or more\n"}};
  EXPECT_EQ(JobSecret::from_environment(of(direct)).text(), "sixteen bytes or more");
  const auto path = file("another secret, in a file\n", 0600);
  const Variables by_file{{"MEGASCALE_JOB_SECRET_FILE", path.string()}};
  EXPECT_EQ(JobSecret::from_environment(of(by_file)).text(), "another secret, in a file");
  EXPECT_THAT(message_of([&] { (void)JobSecret::from_environment(of({})); }),
              HasSubstr("none of MEGASCALE_JOB_SECRET"));
  EXPECT_THAT(message_of([&] { (void)JobSecret::from_environment(of(with(direct, by_file))); }),
              HasSubstr("both of"));
}

TEST_F(SecretTest, RefusesOpenFilesAndShortSecretsWithoutQuotingThem) {
  for (const mode_t mode : {0640, 0604, 0660, 0610}) {
    const auto path = file("a secret that is long enough", mode);
    const std::string message = message_of([&] { (void)JobSecret::from_file(path); });
    EXPECT_THAT(message, AllOf(HasSubstr("chmod 600"), HasSubstr(path.string()))) << mode;
  }
  const std::string message =
      message_of([&] { (void)JobSecret::from_file(file("tooshort", 0600)); });
  EXPECT_THAT(message, AllOf(HasSubstr("8 bytes"), HasSubstr("openssl rand"),
                             ::testing::Not(HasSubstr("tooshort"))));
  EXPECT_THAT(message_of([&] { (void)JobSecret::from_file("/nonexistent/secret"); }),
              HasSubstr("/nonexistent"));
  EXPECT_THAT(message_of([&] { (void)JobSecret::from_file("/"); }), ::testing::Ne("no error"));
}

}  // namespace
}  // namespace megascale::comm
