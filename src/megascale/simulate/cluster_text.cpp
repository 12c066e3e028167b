// Writes cluster files: the text that parse_cluster() reads. Sections without measurements are left
// out.
#include <fmt/format.h>

#include "megascale/simulate/cluster.h"

namespace megascale::simulate {
namespace {

// Four digits are more precise than any measurement.
std::string text_of(const Curve& curve) {
  std::string text;
  for (const Curve::Point& point : curve.points)
    text += fmt::format("{}[{:.4g}, {:.4g}]", text.empty() ? "" : ", ", point.size, point.value);
  return fmt::format("[{}]", text);
}

std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return quoted + '"';
}

std::string optional(std::string_view key, const Curve& curve) {
  return curve.points.empty() ? std::string() : fmt::format("{} = {}\n", key, text_of(curve));
}

std::string text_of(std::string_view section, const Channel& channel) {
  std::string protocols;
  for (const Channel::Protocol& p : channel.protocols) {
    protocols += fmt::format("{}[{:.4g}, {:.4g}, {:.4g}]", protocols.empty() ? "" : ", ", p.base_us,
                             p.hop_us, p.rate_share);
  }
  return fmt::format("\n[{}]\ngb_per_s = {:.4g}\nefficiency = {}\n", section, channel.gb_per_s,
                     text_of(channel.efficiency)) +
         optional("point_to_point_efficiency", channel.point_to_point_efficiency) +
         optional("all_to_all_efficiency", channel.all_to_all_efficiency) +
         fmt::format("protocols = [{}]\nprocessor_share = {:.4g}\n", protocols,
                     channel.processor_share);
}

std::string text_of(const std::vector<Cluster::Tier>& tiers) {
  if (tiers.empty()) return {};
  std::string text;
  for (const Cluster::Tier& tier : tiers) {
    text += fmt::format("{}[{}, {:.4g}, {:.4g}]", text.empty() ? "" : ", ", tier.nodes, tier.hop_us,
                        tier.rate_share);
  }
  return fmt::format("tiers = [{}]\n", text);
}

std::string text_of(std::string_view table, const RatesByKind& rates) {
  if (rates.empty()) return {};
  std::string text = fmt::format("\n[{}]\n", table);
  for (const auto& [kind, curve] : rates) text += fmt::format("{} = {}\n", kind, text_of(curve));
  return text;
}

}  // namespace

std::string to_toml(const Cluster& cluster) {
  const Cluster::Device& device = cluster.device;
  std::string text = fmt::format("name = {}\ndevices_per_node = {}\n", toml_string(cluster.name),
                                 cluster.devices_per_node);
  text += fmt::format(
      "\n[device]\nbfloat16_tflops = {:.4g}\nfloat32_tflops = {:.4g}\nmemory_gib = {:.4g}\n"
      "memory_gb_per_s = {:.4g}\nlaunch_us = {:.4g}\nmultiprocessors = {:.4g}\n"
      "gemm_efficiency = {:.4g}\nmemory_efficiency = {}\nattention_efficiency = {:.4g}\n",
      device.bfloat16_tflops, device.float32_tflops, device.memory_gib, device.memory_gb_per_s,
      device.launch_us, device.multiprocessors, device.gemm_efficiency,
      text_of(device.memory_efficiency), device.attention_efficiency);
  if (device.float8_tflops > 0)
    text += fmt::format("float8_tflops = {:.4g}\n", device.float8_tflops);
  if (device.float8_gemm_efficiency > 0)
    text += fmt::format("float8_gemm_efficiency = {:.4g}\n", device.float8_gemm_efficiency);
  text += optional("elementwise_efficiency", device.elementwise_efficiency);
  text += text_of("node", cluster.node) + text_of("network", cluster.network);
  text += fmt::format("spread_efficiency = {}\n", text_of(cluster.spread_efficiency)) +
          optional("rail_efficiency", cluster.rail_efficiency) + text_of(cluster.tiers);
  if (!cluster.fused.multiprocessors.empty()) text += "\n[fused.multiprocessors]\n";
  for (const auto& [kind, multiprocessors] : cluster.fused.multiprocessors)
    text += fmt::format("{} = {:.4g}\n", kind, multiprocessors);
  if (cluster.host.processors > 0) {
    text += fmt::format(
        "\n[host]\nprocessors = {:.4g}\nspeed = {}\nslice_us = {:.4g}\nwait_share = {:.4g}\n"
        "jitter = {:.4g}\n",
        cluster.host.processors, text_of(cluster.host.speed), cluster.host.slice_us,
        cluster.host.wait_share, cluster.host.jitter);
  }
  if (cluster.kernels.threads > 0) {
    text += fmt::format("\n[kernels]\nthreads = {}\n", cluster.kernels.threads);
    if (!cluster.kernels.flops_per_byte.empty()) text += "\n[kernels.flops_per_byte]\n";
    for (const auto& [kind, flops] : cluster.kernels.flops_per_byte)
      text += fmt::format("{} = {:.4g}\n", kind, flops);
    text += text_of("kernels.gflop_per_s", cluster.kernels.gflop_per_s);
    text += text_of("kernels.gb_per_s", cluster.kernels.gb_per_s);
  }
  if (!cluster.transfers.gb_per_s.empty()) {
    text += fmt::format("\n[transfers]\nbase_us = {:.4g}\n", cluster.transfers.base_us);
    text += text_of("transfers.gb_per_s", cluster.transfers.gb_per_s);
  }
  return text;
}

}  // namespace megascale::simulate
