// Reads cluster files. One table lists all keys with their ranges and an accessor into Cluster; the
// reader walks the file once, sets what the table knows, and collects all errors with their lines.
// The errors are thrown together, so a user can correct a file in one go.
#include "megascale/simulate/cluster.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/near_name.h"
#include "megascale/base/toml_nesting.h"
#include "megascale/graph/op.h"
#include "megascale/simulate/jitter.h"

namespace megascale::simulate {
namespace {

// Whether a key must be present.
enum class Needed : std::uint8_t { always, with_its_section, never };

// The op kinds that a table of rates or amounts may name.
enum class Kinds : std::uint8_t { computation, transfers };

// One key of the file. Exactly one of the accessors is set.
struct Key {
  std::string_view section, name;  // section: empty for keys at the top level
  Needed needed = Needed::always;
  double min = 0, max = 0;   // range of numbers: min < value <= max
  bool min_allowed = false;  // also the minimum itself is allowed
  std::function<std::string&(Cluster&)> text = nullptr;
  std::function<std::int64_t&(Cluster&)> integer = nullptr;
  std::function<double&(Cluster&)> number = nullptr;
  std::function<Curve&(Cluster&)> curve = nullptr;
  std::function<std::vector<Channel::Protocol>&(Cluster&)> protocols = nullptr;
  std::function<std::vector<Cluster::Tier>&(Cluster&)> tiers = nullptr;
  std::function<RatesByKind&(Cluster&)> rates = nullptr;
  std::function<AmountsByKind&(Cluster&)> amounts = nullptr;
  Kinds kinds = Kinds::computation;  // for rates and amounts
};

// Upper bound for numbers without a natural one. It keeps sums and products finite.
constexpr double kHuge = 1e12;

template <class Member>
Key device_number(std::string_view name, Member member, double max = kHuge,
                  bool zero_allowed = false, Needed needed = Needed::always) {
  return {.section = "device",
          .name = name,
          .needed = needed,
          .max = max,
          .min_allowed = zero_allowed,
          .number = [member](Cluster& c) -> double& { return c.device.*member; }};
}

void add_channel(std::vector<Key>& keys, std::string_view section, Channel Cluster::*channel) {
  const auto add = [&](std::string_view name, double Channel::*member, double max, bool zero) {
    keys.push_back(
        {.section = section,
         .name = name,
         .max = max,
         .min_allowed = zero,
         .number = [channel, member](Cluster& c) -> double& { return (c.*channel).*member; }});
  };
  add("gb_per_s", &Channel::gb_per_s, kHuge, false);
  add("processor_share", &Channel::processor_share, 0.9, true);
  const auto add_curve = [&](std::string_view name, Curve Channel::*member, Needed needed) {
    keys.push_back(
        {.section = section,
         .name = name,
         .needed = needed,
         .curve = [channel, member](Cluster& c) -> Curve& { return (c.*channel).*member; }});
  };
  add_curve("efficiency", &Channel::efficiency, Needed::always);
  add_curve("point_to_point_efficiency", &Channel::point_to_point_efficiency, Needed::never);
  add_curve("all_to_all_efficiency", &Channel::all_to_all_efficiency, Needed::never);
  keys.push_back({.section = section,
                  .name = "protocols",
                  .protocols = [channel](Cluster& c) -> std::vector<Channel::Protocol>& {
                    return (c.*channel).protocols;
                  }});
}

void add_fused(std::vector<Key>& keys) {
  keys.push_back({.section = "fused",
                  .name = "multiprocessors",
                  .needed = Needed::with_its_section,
                  .max = kHuge,
                  .amounts = [](Cluster& c) -> AmountsByKind& { return c.fused.multiprocessors; },
                  .kinds = Kinds::transfers});
}

// Keys of the sections that hold measurements: [host], [kernels], [transfers].
void add_measured(std::vector<Key>& keys) {
  keys.push_back({.section = "host",
                  .name = "processors",
                  .needed = Needed::with_its_section,
                  .max = kHuge,
                  .number = [](Cluster& c) -> double& { return c.host.processors; }});
  keys.push_back({.section = "host",
                  .name = "speed",
                  .needed = Needed::never,
                  .curve = [](Cluster& c) -> Curve& { return c.host.speed; }});
  const auto add_of_host = [&](std::string_view name, double Cluster::Host::*member, double max) {
    keys.push_back({.section = "host",
                    .name = name,
                    .needed = Needed::never,
                    .max = max,
                    .min_allowed = true,
                    .number = [member](Cluster& c) -> double& { return c.host.*member; }});
  };
  add_of_host("slice_us", &Cluster::Host::slice_us, kHuge);
  add_of_host("wait_share", &Cluster::Host::wait_share, kHuge);
  add_of_host("jitter", &Cluster::Host::jitter, Jitter::kMostSigma);
  keys.push_back({.section = "kernels",
                  .name = "threads",
                  .needed = Needed::with_its_section,
                  .max = 1024,
                  .integer = [](Cluster& c) -> std::int64_t& { return c.kernels.threads; }});
  keys.push_back(
      {.section = "kernels",
       .name = "flops_per_byte",
       .needed = Needed::never,
       .max = 1e6,
       .amounts = [](Cluster& c) -> AmountsByKind& { return c.kernels.flops_per_byte; }});
  keys.push_back({.section = "kernels",
                  .name = "gflop_per_s",
                  .needed = Needed::never,
                  .rates = [](Cluster& c) -> RatesByKind& { return c.kernels.gflop_per_s; }});
  keys.push_back({.section = "kernels",
                  .name = "gb_per_s",
                  .needed = Needed::never,
                  .rates = [](Cluster& c) -> RatesByKind& { return c.kernels.gb_per_s; }});
  keys.push_back({.section = "transfers",
                  .name = "base_us",
                  .needed = Needed::with_its_section,
                  .max = kHuge,
                  .min_allowed = true,
                  .number = [](Cluster& c) -> double& { return c.transfers.base_us; }});
  keys.push_back({.section = "transfers",
                  .name = "gb_per_s",
                  .needed = Needed::with_its_section,
                  .rates = [](Cluster& c) -> RatesByKind& { return c.transfers.gb_per_s; },
                  .kinds = Kinds::transfers});
}

std::vector<Key> all_keys() {
  using Device = Cluster::Device;
  std::vector<Key> keys{
      {.section = "", .name = "name", .text = [](Cluster& c) -> std::string& { return c.name; }},
      {.section = "",
       .name = "devices_per_node",
       .min = 0,
       .max = 1024,
       .integer = [](Cluster& c) -> std::int64_t& { return c.devices_per_node; }},
      device_number("bfloat16_tflops", &Device::bfloat16_tflops),
      device_number("float32_tflops", &Device::float32_tflops),
      device_number("memory_gib", &Device::memory_gib),
      device_number("memory_gb_per_s", &Device::memory_gb_per_s),
      device_number("launch_us", &Device::launch_us, kHuge, true),
      device_number("attention_efficiency", &Device::attention_efficiency, 1),
      device_number("multiprocessors", &Device::multiprocessors),
      device_number("gemm_efficiency", &Device::gemm_efficiency, 1),
      device_number("float8_tflops", &Device::float8_tflops, kHuge, false, Needed::never),
      device_number("float8_gemm_efficiency", &Device::float8_gemm_efficiency, 1, false,
                    Needed::never),
      {.section = "device",
       .name = "memory_efficiency",
       .curve = [](Cluster& c) -> Curve& { return c.device.memory_efficiency; }},
      {.section = "device",
       .name = "elementwise_efficiency",
       .needed = Needed::never,
       .curve = [](Cluster& c) -> Curve& { return c.device.elementwise_efficiency; }}};
  add_channel(keys, "node", &Cluster::node);
  add_channel(keys, "network", &Cluster::network);
  keys.push_back({.section = "network",
                  .name = "spread_efficiency",
                  .curve = [](Cluster& c) -> Curve& { return c.spread_efficiency; }});
  keys.push_back({.section = "network",
                  .name = "rail_efficiency",
                  .needed = Needed::never,
                  .curve = [](Cluster& c) -> Curve& { return c.rail_efficiency; }});
  keys.push_back({.section = "network",
                  .name = "tiers",
                  .needed = Needed::never,
                  .tiers = [](Cluster& c) -> std::vector<Cluster::Tier>& { return c.tiers; }});
  add_fused(keys);
  add_measured(keys);
  return keys;
}

// Returns the names of all op kinds of this class.
std::vector<std::string> names_of(Kinds kinds) {
  std::vector<std::string> names;
  for (const graph::OpDef* def : graph::all_op_defs()) {
    const bool transfers = def->transfer != nullptr;
    const bool fits =
        kinds == Kinds::transfers ? transfers : !transfers && def->lane == graph::Lane::compute;
    if (fits) names.emplace_back(def->name);
  }
  return names;
}

std::string full_name(const Key& key) {
  return key.section.empty() ? std::string(key.name) : fmt::format("{}.{}", key.section, key.name);
}

class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file), keys_(all_keys()) {}

  Cluster read(std::string_view text) {
    if (const std::string wrong = nesting_problem(text); !wrong.empty())
      throw Error(ErrorCode::bad_usage, fmt::format("{}: {}", file_, wrong));
    toml::table table;
    try {
      table = toml::parse(text);
    } catch (const toml::parse_error& error) {
      throw Error(ErrorCode::bad_usage,
                  fmt::format("{}:{}: {}", file_, error.source().begin.line, error.description()));
    }
    for (const auto& [key_of_table, node] : table) {
      const std::string_view name = key_of_table.str();
      const toml::table* section = node.as_table();
      if (section == nullptr) {
        take("", name, node);
      } else if (std::any_of(keys_.begin(), keys_.end(),
                             [&](const Key& key) { return key.section == name; })) {
        for (const auto& [key, value] : *section) take(name, key.str(), value);
      } else {
        wrong(node, fmt::format("unknown section [{}]", name), sections(), name);
      }
    }
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const Needed needed = keys_[i].needed;
      if (!seen_[i] && (needed == Needed::always ||
                        (needed == Needed::with_its_section && table.contains(keys_[i].section))))
        add_error(std::numeric_limits<std::uint32_t>::max(),
                  fmt::format("{}: {} is missing", file_, full_name(keys_[i])));
    }
    if (errors_.empty()) return cluster_;
    std::stable_sort(errors_.begin(), errors_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Error> in_order;
    for (auto& [line, error] : errors_) in_order.push_back(std::move(error));
    throw join_errors(in_order);
  }

 private:
  [[nodiscard]] std::vector<std::string> sections() const {
    std::vector<std::string> names;
    for (const Key& key : keys_) {
      if (!key.section.empty() && (names.empty() || names.back() != key.section))
        names.emplace_back(key.section);
    }
    return names;
  }

  void take(std::string_view section, std::string_view name, const toml::node& node) {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (keys_[i].section != section) continue;
      known.emplace_back(keys_[i].name);
      if (keys_[i].name != name) continue;
      seen_[i] = true;
      if (const std::string expected = set(keys_[i], node); !expected.empty())
        wrong(node, fmt::format("{}: expected {}", full_name(keys_[i]), expected));
      return;
    }
    wrong(node,
          fmt::format("unknown key {}",
                      section.empty() ? std::string(name) : fmt::format("{}.{}", section, name)),
          known, name);
  }

  // Sets the value of `key`. Returns an empty text, or what was expected.
  std::string set(const Key& key, const toml::node& node) {
    const auto number = node.value<double>();
    const bool is_number = node.is_number();
    if (key.text) {
      if (!node.is_string()) return "a string";
      key.text(cluster_) = node.as_string()->get();
      return {};
    }
    if (key.curve) return set_curve(key.curve(cluster_), node, kShares);
    if (key.rates) {
      return for_each_kind(key, node, "rates", [&](const std::string& kind, const toml::node& of) {
        return set_curve(key.rates(cluster_)[kind], of, kRates);
      });
    }
    if (key.amounts) {
      return for_each_kind(key, node, "numbers",
                           [&](const std::string& kind, const toml::node& of) {
                             const double value = of.is_number() ? *of.value<double>() : -1;
                             if (!(value >= 0 && value <= key.max))
                               return fmt::format("a number, at least 0 and at most {}", key.max);
                             key.amounts(cluster_)[kind] = value;
                             return std::string();
                           });
    }
    if (key.protocols) return set_protocols(key.protocols(cluster_), node);
    if (key.tiers) return set_tiers(key.tiers(cluster_), node);
    const std::string range = fmt::format("{} and at most {}",
                                          key.min_allowed ? fmt::format("at least {}", key.min)
                                                          : fmt::format("more than {}", key.min),
                                          key.max);
    if (key.integer) {
      if (!node.is_integer() || *number <= key.min || *number > key.max)
        return "an integer, " + range;
      key.integer(cluster_) = node.as_integer()->get();
      return {};
    }
    const bool fits = is_number && (key.min_allowed ? *number >= key.min : *number > key.min) &&
                      *number <= key.max;
    if (!fits) return "a number, " + range;
    key.number(cluster_) = *number;
    return {};
  }

  // Parses a list of lists of `width` numbers. Returns nothing if `node` is anything else.
  static std::optional<std::vector<std::vector<double>>> rows_of(const toml::node& node,
                                                                 std::size_t width) {
    const toml::array* lists = node.as_array();
    if (lists == nullptr || lists->empty()) return std::nullopt;
    std::vector<std::vector<double>> rows;
    for (const toml::node& list : *lists) {
      const toml::array* numbers = list.as_array();
      if (numbers == nullptr || numbers->size() != width) return std::nullopt;
      std::vector<double>& row = rows.emplace_back();
      for (const toml::node& number : *numbers) {
        if (!number.is_number()) return std::nullopt;
        row.push_back(*number.value<double>());
      }
    }
    return rows;
  }

  struct CurveRange {
    double max = 0;  // largest value allowed
    std::string_view expected;
  };
  static constexpr CurveRange kShares{
      1, "a list of [size, share]: sizes above 0 that rise, shares above 0 and at most 1"};
  static constexpr CurveRange kRates{
      kHuge, "a list of [size, rate]: sizes above 0 that rise, rates above 0"};

  static std::string set_curve(Curve& curve, const toml::node& node, const CurveRange& range) {
    const auto rows = rows_of(node, 2);
    if (!rows) return std::string(range.expected);
    curve.points.clear();
    for (const auto& row : *rows) {
      const double size = row[0], value = row[1];
      const double before = curve.points.empty() ? 0.0 : curve.points.back().size;
      if (!(size > before && size <= 1e30 && value > 0 && value <= range.max))
        return std::string(range.expected);
      curve.points.push_back({size, value});
    }
    return {};
  }

  // Calls set_kind(kind, value) for each entry of a table whose keys are op kinds. `set_kind`
  // returns an empty text, or what was expected. Errors of entries are added here; the result is
  // not empty only if `node` is not a table.
  template <class SetKind>
  std::string for_each_kind(const Key& key, const toml::node& node, std::string_view values,
                            SetKind set_kind) {
    const toml::table* table = node.as_table();
    if (table == nullptr) return fmt::format("a table: op kinds and their {}", values);
    const std::vector<std::string> known = names_of(key.kinds);
    for (const auto& [name, value] : *table) {
      const std::string kind(name.str());
      if (std::find(known.begin(), known.end(), kind) == known.end()) {
        wrong(value,
              fmt::format("{}: {} is no kind of {}", full_name(key), kind,
                          key.kinds == Kinds::transfers ? "transfer" : "computation"),
              known, kind);
      } else if (const std::string expected = set_kind(kind, value); !expected.empty()) {
        wrong(value, fmt::format("{}.{}: expected {}", full_name(key), kind, expected));
      }
    }
    return {};
  }

  static std::string set_protocols(std::vector<Channel::Protocol>& protocols,
                                   const toml::node& node) {
    constexpr std::string_view kExpected =
        "a list of [base us, hop us, share of the rate]: times of at least 0, shares above 0 and "
        "at most 1";
    const auto rows = rows_of(node, 3);
    if (!rows) return std::string(kExpected);
    for (const auto& row : *rows) {
      const double base = row[0], hop = row[1], share = row[2];
      if (!(base >= 0 && base <= kHuge && hop >= 0 && hop <= kHuge && share > 0 && share <= 1))
        return std::string(kExpected);
      protocols.push_back({base, hop, share});
    }
    return {};
  }

  static std::string set_tiers(std::vector<Cluster::Tier>& tiers, const toml::node& node) {
    constexpr std::string_view kExpected =
        "a list of [nodes, hop us, share of the rate]: whole numbers of nodes, each a multiple of "
        "the one before and larger, times of at least 0, shares above 0 and at most 1";
    const auto rows = rows_of(node, 3);
    if (!rows) return std::string(kExpected);
    for (const auto& row : *rows) {
      const double nodes = row[0], hop = row[1], share = row[2];
      const double before = tiers.empty() ? 0.0 : static_cast<double>(tiers.back().nodes);
      const bool is_count = nodes > before && nodes <= kHuge && nodes == std::floor(nodes);
      if (!is_count || (before > 0 && std::fmod(nodes, before) != 0) || !(hop >= 0) ||
          hop > kHuge || !(share > 0 && share <= 1))
        return std::string(kExpected);
      tiers.push_back({static_cast<std::int64_t>(nodes), hop, share});
    }
    return {};
  }

  // Adds an error at the line of `node`. Suggests the known name that is nearest to `name`.
  void wrong(const toml::node& node, std::string what, const std::vector<std::string>& known = {},
             std::string_view name = {}) {
    const std::string near = known.empty() ? "" : nearest_name(name, known);
    if (!near.empty()) what += fmt::format("; did you mean {}?", near);
    const std::uint32_t line = node.source().begin.line;
    add_error(line, fmt::format("{}:{}: {}", file_, line, what));
  }

  void add_error(std::uint32_t line, std::string text) {
    errors_.emplace_back(line, Error(ErrorCode::bad_usage, std::move(text)));
  }

  std::string file_;
  std::vector<Key> keys_;
  std::vector<bool> seen_ = std::vector<bool>(keys_.size());
  std::vector<std::pair<std::uint32_t, Error>> errors_;  // with the line of each
  Cluster cluster_;
};

}  // namespace

Cluster parse_cluster(std::string_view text, std::string_view file_name) {
  return Reader(file_name).read(text);
}

Cluster load_cluster(const std::filesystem::path& file) {
  std::string text;
  try {
    text = read_text(file);
  } catch (const Error& error) {
    throw Error(ErrorCode::bad_usage, fmt::format("cluster: {}", error.message()));
  }
  return parse_cluster(text, file.string());
}

}  // namespace megascale::simulate
