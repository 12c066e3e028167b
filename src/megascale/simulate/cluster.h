#ifndef MEGASCALE_SIMULATE_CLUSTER_H_
#define MEGASCALE_SIMULATE_CLUSTER_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/simulate/curve.h"

// The description of a cluster: what its devices and links can do. It is read from a TOML file
// (clusters/). Rank r is device r mod devices_per_node of node r / devices_per_node.
// docs/formats/cluster.md explains every key. The comments of the shipped files, and
// docs/simulation-validation.md, say where their numbers come from.
namespace megascale::simulate {

// A channel between devices. All figures are of one direction of one device.
struct Channel {
  double gb_per_s = 0;  // peak rate; 1e9 bytes per second
  Curve efficiency;     // share of gb_per_s that a transfer reaches, by its bytes
  // A way to move bytes (NCCL's LL, LL128 and Simple). A protocol has either little latency or the
  // full rate.
  struct Protocol {
    double base_us = 0, hop_us = 0;  // latency of every transfer; of each step of a ring or tree
    // Share of the channel's rate that the protocol reaches.
    double rate_share = 1;
  };
  std::vector<Protocol> protocols;  // never empty
  double processor_share = 0;       // share of the device that is busy while bytes move
  // The same share for transfers from one device to one other: sends, receives and shifts. If
  // empty, `efficiency` holds for them too.
  Curve point_to_point_efficiency;
  // The same for all_to_all and all_to_all_v, in which a device sends to all others at once. If
  // empty, `efficiency` holds for them too.
  Curve all_to_all_efficiency;
};

// Measured rates, and measured numbers, by the name of the op kind.
using RatesByKind = std::map<std::string, Curve, std::less<>>;
using AmountsByKind = std::map<std::string, double, std::less<>>;

struct Cluster {
  std::string name;
  std::int64_t devices_per_node = 8;
  struct Device {
    double bfloat16_tflops = 0, float32_tflops = 0;  // peaks of dense matrix products
    double memory_gib = 0;
    double memory_gb_per_s = 0;
    double launch_us = 0;        // time between two kernels of the compute lane
    double multiprocessors = 0;  // number of tiles of a product that are computed at once
    // Share of the peak that products reach if they keep all multiprocessors busy.
    double gemm_efficiency = 0;
    // Peak, and share of it, of products of 8-bit operands (model.fp8). float8_tflops 0: plans with such
    // products are refused. float8_gemm_efficiency 0: gemm_efficiency holds.
    double float8_tflops = 0, float8_gemm_efficiency = 0;
    Curve memory_efficiency;  // share of memory_gb_per_s, by bytes
    // The same share for ops that are no products, such as norms, activations and moves of rows. If
    // empty, `memory_efficiency` holds for them too.
    Curve elementwise_efficiency;
    // Share of the peak of products that fused attention reaches.
    double attention_efficiency = 0;
  } device;
  Channel node, network;
  // Share of the network's rate that collectives reach, by the number of nodes.
  Curve spread_efficiency;
  // The same for collectives with one rank on each node. If empty, spread_efficiency holds for them
  // too.
  Curve rail_efficiency;
  // The tiers of switches above the nodes, lowest first. Node n is below switch n / Tier::nodes of
  // each tier. A step between two nodes pays for the highest tier in which they are below different
  // switches. If empty, all nodes are below one switch.
  struct Tier {
    std::int64_t nodes = 1;  // nodes below one switch
    double hop_us = 0;       // added to a step that leaves the switch
    double rate_share = 1;   // share of the rate that is left
  };
  std::vector<Tier> tiers;

  // For nodes whose devices are processors of one host: the ranks of the node share these
  // processors and the host's memory.
  struct Host {
    // Each processor serves the threads of one rank. 0: the section is absent, and every rank has a
    // device of its own.
    double processors = 0;
    Curve speed{{{1, 1}}};                // speed of each processor, by the number wanted at once
    double slice_us = 0, wait_share = 0;  // see HostProcessors
    double jitter = 0;                    // Jitter::sigma of computation on this host
  } host;
  // Kernels that compute a transfer inside a node together with the product beside it, tile by tile
  // (plan/fused_pairs.h).
  struct Fused {
    // By kind of transfer: multiprocessors that move its bytes while the others multiply. 0: copy
    // engines do. Kinds that are not listed have no such kernels.
    AmountsByKind multiprocessors;
  } fused;
  // Measured kernels. An op of a kind that is listed costs its work over its rate, whatever the
  // device's peaks are.
  struct Kernels {
    std::int64_t threads = 0;  // threads of a rank during the measurement; 0: nothing was measured
    // Kernels pack their operands before they multiply them. The work of an op with FLOPs is
    // therefore its FLOPs, plus this number for each byte of its operands. A kind that is not
    // listed has 0.
    AmountsByKind flops_per_byte;
    [[nodiscard]] double work_of(std::string_view kind, double flops, double nbytes) const {
      const auto found = flops_per_byte.find(kind);
      return flops + (found == flops_per_byte.end() ? 0.0 : found->second * nbytes);
    }
    RatesByKind gflop_per_s, gb_per_s;  // by this work; by the bytes of the operands
  } kernels;
  // Measured transfers between ranks of a node. A thread of each member carries them out by reading
  // the memory of the other members. Sizes of the curves are the bytes that one member reads and
  // writes.
  struct Transfers {
    // Latency: until bytes move, and until a task that waits for the transfer continues.
    double base_us = 0;
    RatesByKind gb_per_s;
  } transfers;
};

// Read a cluster from a file, or from its text (`file_name` is used in messages). Throw Error
// (bad_usage) with all errors of the file at once, each with line and key: unknown keys with the
// nearest known name, missing keys, wrong types, values out of range.
[[nodiscard]] Cluster load_cluster(const std::filesystem::path& file);
[[nodiscard]] Cluster parse_cluster(std::string_view text, std::string_view file_name);
// Returns the text of a cluster file. Parsing it gives `cluster` again, with numbers rounded to
// four digits.
[[nodiscard]] std::string to_toml(const Cluster& cluster);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_CLUSTER_H_
