// `megascale submit --launcher`: hands a job over to Slurm or Kubernetes.
#include "megascale/cli/submit_launchers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/run_directory.h"
#include "megascale/config/derived.h"
#include "megascale/launch/scheduler/kubernetes.h"
#include "megascale/launch/scheduler/kubernetes_api.h"
#include "megascale/launch/scheduler/slurm.h"

namespace megascale::cli {
namespace {

std::filesystem::path whole_path(const std::filesystem::path& path) {
  return std::filesystem::absolute(path).lexically_normal();
}

launch::ClusterJob cluster_job(const ConfigArguments& arguments, std::uint32_t hosts,
                               const std::filesystem::path& credentials,
                               const LauncherArguments& launcher) {
  const Config config = arguments.load_for_training().config;
  const auto ranks = static_cast<std::uint32_t>(world_size(config));
  if (ranks % hosts != 0) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("--hosts: expected a number that divides the {} ranks, found {}", ranks,
                            hosts));
  }
  const std::filesystem::path run_dir = whole_path(config.train.run_dir);
  return {.name = launcher.name.empty() ? run_dir.filename().string() : launcher.name,
          .program = launcher.program.empty() ? std::filesystem::read_symlink("/proc/self/exe")
                                              : whole_path(launcher.program),
          .directory = std::filesystem::current_path(),
          .run_dir = run_dir,
          .config = whole_path(arguments.file),
          .credentials = credentials.empty() ? RunDirectory(run_dir).control() / "cluster"
                                             : whole_path(credentials),
          .overrides = arguments.overrides,
          .ranks = ranks,
          .hosts = hosts,
          .spares = launcher.spares,
          .save_seconds = launcher.save_seconds};
}

Outcome submit_to_slurm(launch::ClusterJob job, const LauncherArguments& launcher) {
  const std::filesystem::path run_dir = job.run_dir;
  const std::string script = launch::slurm_script(
      {.job = std::move(job), .time = launcher.time, .options = launcher.slurm});
  if (launcher.print) {
    fmt::print("{}", script);
    return {};
  }
  make_directories(run_dir);  // the log of the job lies there
  const std::string number = launch::sbatch(script);
  fmt::print("{}\n", number);
  return {.json = {{"launcher", "slurm"},
                   {"job", number},
                   {"log", (run_dir / fmt::format("slurm-{}.log", number)).string()}}};
}

Outcome submit_to_kubernetes(launch::ClusterJob cluster, const LauncherArguments& launcher) {
  launch::KubernetesJob job{.job = std::move(cluster),
                            .name_space = launcher.name_space,
                            .image = launcher.image,
                            .volume_claim = launcher.volume_claim,
                            .mount = launcher.mount,
                            .resources = {}};
  job.user = launcher.user;
  for (const std::string& resource : launcher.resources) {
    const auto equals = resource.find('=');
    if (equals == std::string::npos) {
      throw Error(
          ErrorCode::bad_usage,
          fmt::format("--resources: expected NAME=AMOUNT such as cpu=8, found {}", resource));
    }
    job.resources[resource.substr(0, equals)] = resource.substr(equals + 1);
  }
  const auto objects = launch::kubernetes_manifests(job);
  if (launcher.print) {
    fmt::print("{}", launch::to_documents(objects));
    return {};
  }
  launch::KubernetesApi api(launch::KubernetesAccess::of_this_pod());
  Outcome outcome{.json = {{"launcher", "kubernetes"}, {"job", job.job.name}}};
  for (const auto& object : objects) {
    const bool is_new = api.create(object);
    fmt::print("{} {}: {}\n", object.at("kind").get<std::string>(),
               object.at("metadata").at("name").get<std::string>(),
               is_new ? "created" : "exists already");
  }
  return outcome;
}

}  // namespace

void LauncherArguments::add_to(Command& command) {
  command
      .option("--launcher", launcher,
              "slurm or kubernetes: starts driver and executors too (docs/cluster.md)")
      .one_of({"slurm", "kubernetes"});
  command.flag("--print", print, "print the batch script or the manifests, and do nothing else");
  command.option("--name", name, "name of the job (default: that of the run directory)");
  command.option("--program", program, "megascale on the hosts (default: this program)");
  command.option("--spares", spares, "hosts that stand by").at_least_zero().shows_default();
  command.option("--save-seconds", save_seconds, "the job saves so many seconds before it must end")
      .positive()
      .shows_default();
  command.option("--time", time, "Slurm: time limit, as sbatch takes it");
  command.option("--slurm", slurm,
                 "Slurm: one more option of sbatch, such as --slurm=--partition=gpu");
  command.option("--namespace", name_space, "Kubernetes: namespace").shows_default();
  command.option("--image", image, "Kubernetes: image with megascale");
  command.option("--volume-claim", volume_claim,
                 "Kubernetes: volume that all pods can write, with configuration, data and run "
                 "directory");
  command.option("--mount", mount, "Kubernetes: where the volume is mounted").shows_default();
  command.option("--resources", resources, "Kubernetes: of a pod, such as cpu=8,memory=32Gi")
      .separated_by_commas();
  command.option("--user", user, "Kubernetes: user and group in the containers")
      .positive()
      .shows_default();
}

Outcome submit_by_launcher(const ConfigArguments& arguments, std::uint32_t hosts,
                           const std::filesystem::path& credentials,
                           const LauncherArguments& launcher) {
  launch::ClusterJob job = cluster_job(arguments, hosts, credentials, launcher);
  return launcher.launcher == "slurm" ? submit_to_slurm(std::move(job), launcher)
                                      : submit_to_kubernetes(std::move(job), launcher);
}

}  // namespace megascale::cli
