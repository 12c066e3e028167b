#ifndef MEGASCALE_SIMULATE_CLUSTER_H_
#define MEGASCALE_SIMULATE_CLUSTER_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/simulate/curve.h"

// A cluster as a TOML file describes it (clusters/): what its devices and links can do. Rank r is
// device r mod devices_per_node of node r / devices_per_node. docs/simulation.md says what every
// key means and where the shipped numbers come from.
namespace megascale::simulate {

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
  // The share that sends, receives and shifts reach, each from one device to one other. Empty: as
  // `efficiency`.
  Curve point_to_point_efficiency;
};

// Rates of op kinds, as they were measured.
using RatesByKind = std::map<std::string, Curve, std::less<>>;
using AmountsByKind = std::map<std::string, double, std::less<>>;

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
  Curve rail_efficiency;    // the same of those with one rank on each node; empty: as all others
  // The switches over the nodes, from below: node n stands under switch n / nodes of a tier. What
  // goes between two nodes pays for the highest tier that has no switch over both. Empty: one
  // switch is over all nodes.
  struct Tier {
    std::int64_t nodes = 1;  // under one switch
    double hop_us = 0;       // that leaving it adds to a step
    double rate_share = 1;   // what is left of the rate
  };
  std::vector<Tier> tiers;

  // Where the devices of a node are the processors of a host that its ranks share, and their memory
  // the host's.
  struct Host {
    // Each serves the threads of one rank. 0: every device works for one rank.
    double processors = 0;
    Curve speed{{{1, 1}}};                // of each of them, by how many are wanted at once
    double slice_us = 0, wait_share = 0;  // see HostProcessors
    double jitter = 0;                    // Jitter::sigma of what ranks compute here
  } host;
  // Measured kernels. A kind that is here costs its work over its rate, whatever the device's peaks
  // say.
  struct Kernels {
    std::int64_t threads = 0;  // of a rank when they were measured; 0: none were
    // The work of an op with FLOPs is those and so many for each byte of its operands, which are
    // packed before they are multiplied; 0 for a kind that is not here.
    AmountsByKind flops_per_byte;
    [[nodiscard]] double work_of(std::string_view kind, double flops, double nbytes) const {
      const auto found = flops_per_byte.find(kind);
      return flops + (found == flops_per_byte.end() ? 0.0 : found->second * nbytes);
    }
    RatesByKind gflop_per_s, gb_per_s;  // by that work; by the bytes of the operands
  } kernels;
  // Measured transfers between ranks of a node which a thread of every member carries out, by
  // reading the memory of the others: by the bytes that one member reads and writes.
  struct Transfers {
    double base_us = 0;  // until bytes are moved, and until who waits for them goes on
    RatesByKind gb_per_s;
  } transfers;
};

// Throws Error (bad_usage) with all errors of the file at once, each with line and key: unknown
// keys with the nearest known name, missing ones, wrong types, values out of range.
[[nodiscard]] Cluster load_cluster(const std::filesystem::path& file);
[[nodiscard]] Cluster parse_cluster(std::string_view text, std::string_view file_name);
// The file that says this.
[[nodiscard]] std::string to_toml(const Cluster& cluster);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_CLUSTER_H_
