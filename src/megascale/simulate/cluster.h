#ifndef MEGASCALE_SIMULATE_CLUSTER_H_
#define MEGASCALE_SIMULATE_CLUSTER_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// A cluster as a TOML file describes it (clusters/): what its devices and links can do. Rank r is
// device r mod devices_per_node of node r / devices_per_node. docs/simulation.md says what every
// key means and where the shipped numbers come from.
namespace megascale::simulate {

// Which share of a peak is reached by work of a size: linear between the points in the logarithm of
// the size, constant outside.
struct Curve {
  struct Point {
    double size = 0, share = 0;
  };
  std::vector<Point> points;  // sizes rise; never empty
  [[nodiscard]] double at(double size) const noexcept;
};

// What bytes travel through between devices, one direction of one device.
struct Channel {
  double gb_per_s = 0;  // 1e9 bytes a second
  Curve efficiency;     // the share of it that a transfer reaches, by its bytes
  // Ways to move bytes (NCCL's LL, LL128 and Simple): little latency or all of the rate.
  struct Protocol {
    double base_us = 0, hop_us = 0;  // of every transfer; of every step of a ring or tree
    double rate_share = 1;
  };
  std::vector<Protocol> protocols;  // never empty
  double processor_share = 0;       // of the device, while bytes move
};

struct Cluster {
  std::string name;
  std::int64_t devices_per_node = 8;
  struct Device {
    double bfloat16_tflops = 0, float32_tflops = 0;  // dense matrix products, peak
    double memory_gib = 0;
    double memory_gb_per_s = 0;
    double launch_us = 0;             // between two kernels of the compute lane
    double multiprocessors = 0;       // that work on a matrix product's tiles side by side
    double gemm_efficiency = 0;       // share of the peak of products that keep all of them busy
    Curve memory_efficiency;          // by bytes
    double attention_efficiency = 0;  // fused attention, share of the matrix peak
  } device;
  Channel node, network;
  Curve spread_efficiency;  // what is left of the network's rate to collectives over so many nodes
};

// Throws Error (bad_usage) with all errors of the file at once, each with line and key: unknown
// keys with the nearest known name, missing ones, wrong types, values out of range.
[[nodiscard]] Cluster load_cluster(const std::filesystem::path& file);
[[nodiscard]] Cluster parse_cluster(std::string_view text, std::string_view file_name);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_CLUSTER_H_
