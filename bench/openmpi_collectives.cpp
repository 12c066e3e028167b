// Open MPI's collectives, timed as `megascale bench collectives` times ours: the yardstick.
//   mpirun -n 4 --oversubscribe build/release/bench/bench_openmpi_collectives [BYTES...]
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kBatches = 21;

struct Buffers {
  std::vector<float> send, receive;
  int ranks = 1;
};

// Median seconds of one call on rank 0.
double time_calls(std::size_t nbytes, const std::function<void()>& call) {
  const std::size_t count =
      std::clamp<std::size_t>((std::size_t{16} << 20U) / std::max<std::size_t>(nbytes, 1), 1, 200);
  for (int warmup = 0; warmup < 3; ++warmup) call();
  std::array<double, kBatches> seconds{};
  for (double& batch : seconds) {
    const double begin = MPI_Wtime();
    for (std::size_t i = 0; i < count; ++i) call();
    batch = (MPI_Wtime() - begin) / static_cast<double>(count);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[kBatches / 2];
}

void run(const char* name, Buffers& b, std::size_t nbytes, double bus_factor, int rank,
         const std::function<void(int part, int all)>& call) {
  const int all = static_cast<int>(nbytes / sizeof(float)), part = all / b.ranks;
  const double seconds = time_calls(nbytes, [&] { call(part, all); });
  if (rank != 0) return;
  const double algbw = static_cast<double>(nbytes) / seconds * 1e-9;
  std::printf("%-16s %12zu %12.2f %10.3f %10.3f\n", name, nbytes, seconds * 1e6, algbw,
              algbw * bus_factor);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  Buffers b;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &b.ranks);
  const double n = b.ranks;
  std::vector<std::size_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::stoull(argv[i]));
  if (sizes.empty()) sizes = {1024, 64 * 1024, std::size_t{1} << 20U, std::size_t{64} << 20U};
  if (rank == 0) std::printf("%d ranks over Open MPI\n", b.ranks);
  for (const std::size_t nbytes : sizes) {
    b.send.assign(nbytes / sizeof(float), 0.0F);
    b.receive.assign(nbytes / sizeof(float), 0.0F);
    float* s = b.send.data();
    float* r = b.receive.data();
    run("all_gather", b, nbytes, (n - 1) / n, rank, [&](int part, int) {
      MPI_Allgather(s, part, MPI_FLOAT, r, part, MPI_FLOAT, MPI_COMM_WORLD);
    });
    run("reduce_scatter", b, nbytes, (n - 1) / n, rank, [&](int part, int) {
      MPI_Reduce_scatter_block(s, r, part, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    });
    run("all_reduce", b, nbytes, 2 * (n - 1) / n, rank, [&](int, int all) {
      MPI_Allreduce(MPI_IN_PLACE, r, all, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    });
    run("all_to_all", b, nbytes, (n - 1) / n, rank, [&](int part, int) {
      MPI_Alltoall(s, part, MPI_FLOAT, r, part, MPI_FLOAT, MPI_COMM_WORLD);
    });
    run("broadcast", b, nbytes, 1, rank,
        [&](int, int all) { MPI_Bcast(r, all, MPI_FLOAT, 0, MPI_COMM_WORLD); });
    run("shift", b, nbytes, 1, rank, [&](int, int all) {
      MPI_Sendrecv(s, all, MPI_FLOAT, (rank + b.ranks - 1) % b.ranks, 0, r, all, MPI_FLOAT,
                   (rank + 1) % b.ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
  }
  MPI_Finalize();
  return 0;
}
