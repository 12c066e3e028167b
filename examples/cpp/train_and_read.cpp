// Trains from C++, and reads what the training has left:
//
//   train_and_read CONFIG [section.key=value ...]
//
// Prints the memory that the job needs, the loss of every step, and the largest tensor of the checkpoint. Stops early, with a
// checkpoint, when the loss is below 2.
#include <megascale/megascale.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

// Asks before anything runs. Returns whether the job can be trained here.
bool ask(const megascale::Job& job) {
  for (const std::string& problem : job.problems()) std::fprintf(stderr, "%s\n", problem.c_str());
  if (!job.problems().empty()) return false;
  const megascale::Plan plan = job.plan();
  std::printf("%lld parameters on %u ranks; a step has %.3g FLOPs\n",
              static_cast<long long>(plan.parameters), plan.world_size, plan.flops);
  for (const megascale::PlannedStage& stage : plan.stages) {
    std::printf("  ranks from %u on: %llu bytes\n", stage.first_rank,
                static_cast<unsigned long long>(stage.memory_bytes));
  }
  return true;
}

void train(const megascale::Job& job) {
  megascale::TrainOptions options;
  options.on_step = [](const megascale::StepReport& step) {
    std::printf("step %lld: loss %.4f, %.0f tokens/s\n", static_cast<long long>(step.step),
                step.value("loss"), step.value("tokens_per_second"));
    return !(step.value("loss") < 2);
  };
  options.on_message = [](const std::string& message) { std::printf("%s\n", message.c_str()); };
  const megascale::TrainEnd end = job.train(options);
  std::printf("%s after %lld steps\n", end.interrupted ? "stopped" : "done",
              static_cast<long long>(end.steps_done));
}

void read(const megascale::Run& run) {
  const megascale::Checkpoint checkpoint = run.checkpoint();
  megascale::TensorInfo largest;
  std::int64_t most = 0;
  for (const megascale::TensorInfo& tensor : checkpoint.tensors()) {
    std::int64_t elements = 1;
    for (const std::int64_t extent : tensor.shape) elements *= extent;
    if (elements > most) largest = tensor;
    most = std::max(most, elements);
  }
  const megascale::TensorData data = checkpoint.tensor(largest.name);
  std::vector<float> values(data.bytes.size() / sizeof(float));  // parameters are float32
  std::memcpy(values.data(), data.bytes.data(), data.bytes.size());
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * value;
  std::printf("checkpoint of step %lld: %s has %zu elements and the norm %.4f\n",
              static_cast<long long>(checkpoint.step()), largest.name.c_str(), values.size(),
              std::sqrt(sum));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: train_and_read CONFIG [section.key=value ...]\n");
    return 2;
  }
  try {
    const std::vector<std::string> overrides(argv + 2, argv + argc);
    const megascale::Job job = megascale::Job::from_file(argv[1], overrides);
    if (!ask(job)) return 1;
    train(job);
    read(megascale::Run(job.run_directory()));
  } catch (const megascale::Error& error) {
    std::fprintf(stderr, "train_and_read: %s\n", error.what());
    return error.code() == megascale::ErrorCode::bad_usage ? 2 : 1;
  }
  return 0;
}
