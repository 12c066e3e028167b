// The report as sections of lines. Each function makes one section; a section without lines is left
// out.
#include "megascale/report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "megascale/report/words.h"

namespace megascale::report {
namespace {

constexpr std::size_t kShownOps = 10, kShownRanks = 5, kShownIncidents = 20, kShownAnomalies = 20;

std::string ago(double seconds) {
  return seconds < 120 ? fmt::format("{:.0f} s ago", seconds) : duration_text(seconds) + " ago";
}

std::string state_text(const RunFacts& facts) {
  std::string steps = facts.job.train_iters > 0
                          ? fmt::format("step {} of {}", facts.steps_done(), facts.job.train_iters)
                          : fmt::format("step {}", facts.steps_done());
  switch (facts.state) {
    case RunState::simulated:
      return "a simulation: its records hold one simulated step";
    case RunState::waiting:
      return "no step has ended yet";
    case RunState::running: {
      const auto left = facts.seconds_left();
      return fmt::format("{}, running; last step {}{}", steps, ago(facts.age_seconds),
                         left ? fmt::format(", {} left", duration_text(*left)) : "");
    }
    case RunState::complete:
      return fmt::format("{}, complete; last step {}", steps, ago(facts.age_seconds));
    case RunState::stopped:
      return fmt::format("{}, ended before its last step, {}; the same command goes on", steps,
                         ago(facts.age_seconds));
    case RunState::elsewhere:
      return fmt::format("{}; last step {}. Its ranks are on other hosts, or left no records",
                         steps, ago(facts.age_seconds));
  }
  return steps;
}

Section run_section(const RunFacts& facts) {
  Section section{.title = "run",
                  .lines = {{"directory", facts.path}, {"state", state_text(facts)}}};
  const JobFacts& job = facts.job;
  if (job.ranks > 0) {
    section.lines.push_back(
        {"layout", fmt::format("{} {}: tensor {}, context {}, data {}, pipeline {}", job.ranks,
                               job.ranks == 1 ? "rank" : "ranks", job.tensor, job.context, job.data,
                               job.pipeline)});
    section.lines.push_back(
        {"model", fmt::format("{} parameters, {} tokens a step",
                              count_text(static_cast<double>(job.parameters)),
                              count_text(static_cast<double>(job.tokens_per_step)))});
  }
  return section;
}

std::string expert_text(const RunFacts& facts, double imbalance) {
  return fmt::format(
      "largest load {:.2f} of the mean; {} of the step computes above the mean; {} of choices "
      "dropped",
      imbalance, percent_text(facts.newest("expert_imbalance_share").value_or(std::nan(""))),
      percent_text(facts.newest("expert_dropped_share").value_or(std::nan(""))));
}

Section training_section(const RunFacts& facts) {
  Section section{.title = "training", .lines = {}};
  const auto& rows = facts.rows;
  if (rows.empty()) return section;
  constexpr std::size_t kLoss = observe::metric_index("loss");
  const auto least = std::min_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.values[kLoss] < b.values[kLoss] ||
           (std::isnan(b.values[kLoss]) && !std::isnan(a.values[kLoss]));
  });
  section.lines.push_back(
      {"loss", fmt::format("{} in step {}, {} in step {}; smallest {} in step {}",
                           number_text(rows.front().values[kLoss]), rows.front().step,
                           number_text(rows.back().values[kLoss]), rows.back().step,
                           number_text(least->values[kLoss]), least->step)});
  if (const auto loss = facts.newest("validation_loss"))
    section.lines.push_back({"validation", number_text(*loss)});
  for (const observe::NamedLoss& one : facts.newest_validation())
    section.lines.push_back({"validation of " + one.name, number_text(one.loss)});
  section.lines.push_back(
      {"gradient norm", number_text(facts.newest("grad_norm").value_or(std::nan("")))});
  section.lines.push_back(
      {"learning rate", number_text(facts.newest("lr").value_or(std::nan("")))});
  section.lines.push_back(
      {"tokens", count_text(facts.newest("consumed_tokens").value_or(std::nan("")))});
  if (const double skipped = facts.newest("skipped_steps").value_or(0); skipped > 0)
    section.lines.push_back({"skipped", count_text(skipped) + " steps without an update"});
  for (const char* set : {"", "validation_"}) {
    const auto margin = facts.newest(fmt::format("{}rewards/margins", set));
    if (!margin) continue;
    const auto accuracy = facts.newest(fmt::format("{}rewards/accuracies", set));
    section.lines.push_back(
        {*set == '\0' ? "rewards" : "rewards, validation",
         fmt::format("margin {}; {} of pairs prefer the chosen answer", number_text(*margin),
                     percent_text(accuracy.value_or(std::nan(""))))});
  }
  if (const auto imbalance = facts.newest("expert_imbalance"))
    section.lines.push_back({"experts", expert_text(facts, *imbalance)});
  std::size_t shown = 0;
  for (const observe::Anomaly& anomaly : facts.anomalies) {
    if (++shown > kShownAnomalies) break;
    section.lines.push_back({shown == 1 ? "unusual" : "", to_string(anomaly)});
  }
  if (facts.anomalies.size() > kShownAnomalies)
    section.lines.push_back({"", fmt::format("and {} more (--json has all)",
                                             facts.anomalies.size() - kShownAnomalies)});
  return section;
}

Section speed_section(const RunFacts& facts) {
  Section section{.title = "speed", .lines = {}};
  if (facts.rates.steps == 0) return section;
  const Rates& rates = facts.rates;
  section.title += fmt::format(" (medians of the last {} steps)", rates.steps);
  section.lines = {{"step", seconds_text(rates.step_seconds)},
                   {"tokens/s", count_text(rates.tokens_per_second)},
                   {"MFU", fmt::format("{} of the peak; hardware FLOPs {}", percent_text(rates.mfu),
                                       percent_text(rates.hfu))}};
  if (facts.decline) section.lines.push_back({"slower", to_string(*facts.decline)});
  return section;
}

Section memory_section(const RunFacts& facts) {
  Section section{.title = "memory of a rank (exact)", .lines = {}};
  for (std::size_t s = 0; s < facts.job.stages.size(); ++s) {
    const JobFacts::Stage& stage = facts.job.stages[s];
    std::vector<std::string> parts;
    for (std::size_t c = 0; c < plan::kCategoryCount; ++c)
      if (stage.by_category[c] > 0)
        parts.push_back(fmt::format("{} {}", plan::to_string(static_cast<plan::Category>(c)),
                                    bytes_text(stage.by_category[c])));
    section.lines.push_back(
        {facts.job.stages.size() == 1 ? "arena" : fmt::format("stage {}", s),
         fmt::format("{}: {}", bytes_text(stage.arena_bytes), fmt::join(parts, ", "))});
  }
  return section;
}

std::string share_of(double seconds, double whole) {
  return fmt::format("{:<10} {:>7}", seconds_text(seconds), percent_text(seconds / whole));
}

std::string steps_text(const std::vector<std::int64_t>& steps) {
  return steps.size() == 1
             ? fmt::format("step {}", steps.front())
             : fmt::format("{} steps, {} to {}", steps.size(), steps.front(), steps.back());
}

Section time_section(const RunFacts& facts) {
  Section section{.title = "time of a step", .lines = {}};
  if (!facts.records) {
    if (!facts.no_records.empty()) section.lines.push_back({"", facts.no_records});
    return section;
  }
  const observe::StepTimes& times = facts.records->times;
  section.title += fmt::format(" (means of {} ranks, {}, counted from 0)",
                               facts.records->ranks.size(), steps_text(facts.records->steps));
  section.lines = {{"whole", seconds_text(times.step)},
                   {"computation", share_of(times.compute, times.step)},
                   {"exposed comm.", share_of(times.exposed_comm, times.step)},
                   {"bubble", share_of(times.bubble, times.step)},
                   {"data wait", share_of(times.data_wait, times.step)},
                   {"other", share_of(times.other, times.step)}};
  return section;
}

Section overlap_section(const RunFacts& facts) {
  Section section{.title = "transfers by dimension", .lines = {}};
  if (!facts.records) return section;
  for (const LaneFacts& lane : facts.records->lanes) {
    section.lines.push_back(
        {std::string(graph::to_string(lane.lane)),
         fmt::format("move bytes for {}, {} of it hidden by computation; wait for partners {}, "
                     "start late {}",
                     seconds_text(lane.time.busy), percent_text(lane.time.overlap_share()),
                     seconds_text(lane.time.partner), seconds_text(lane.time.late))});
  }
  return section;
}

Section op_section(const RunFacts& facts) {
  Section section{.title = "op kinds that take longest", .lines = {}};
  if (!facts.records) return section;
  const observe::StepTimes& times = facts.records->times;
  std::vector<std::pair<std::string, double>> ops(times.by_op.begin(), times.by_op.end());
  std::stable_sort(ops.begin(), ops.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (ops.size() > kShownOps) ops.resize(kShownOps);
  for (const auto& [name, seconds] : ops)
    section.lines.push_back({name, share_of(seconds, times.step)});
  return section;
}

Section rank_section(const RunFacts& facts) {
  Section section{.title = "slow ranks", .lines = {}};
  if (!facts.records) return section;
  const RecordFacts& records = *facts.records;
  for (const observe::Straggler& straggler : records.stragglers)
    section.lines.push_back({"slow", to_string(straggler)});
  if (records.stragglers.empty()) {
    section.lines.push_back(
        {"", records.steps.size() < records.least_steps
                 ? fmt::format("not known: the records hold {} common steps, and {} are needed "
                               "(observe.ring_steps)",
                               records.steps.size(), records.least_steps)
                 : "none"});
  }
  for (std::size_t i = 0; i < std::min(kShownRanks, records.ranks.size()); ++i) {
    const RankLine& line = records.ranks[i];
    if (line.usual_compute <= 0 || records.ranks.size() < 2) break;
    section.lines.push_back(
        {fmt::format("rank {}", line.rank),
         fmt::format("computes {} a step, {} of the usual time{}", seconds_text(line.times.compute),
                     more_text(1 + line.excess()),
                     line.host.empty() ? "" : "; host " + line.host)});
  }
  if (records.dropped > 0)
    section.lines.push_back(
        {"not stored", fmt::format("{} steps times ranks: the steps were too short, the disk too "
                                   "slow, or the system busy (observe.stored_steps)",
                                   records.dropped)});
  for (const std::string& problem : records.problems)
    section.lines.push_back({"left out", problem});
  return section;
}

std::vector<Section> driver_sections(const RunFacts& facts) {
  if (!facts.driver) return {};
  const control::Ledger& ledger = facts.driver->status.ledger;
  Section time{.title = "time of the job", .lines = {}};
  time.lines.push_back({"effective", percent_text(ledger.effective())});
  for (std::size_t b = 0; b < control::kBuckets; ++b) {
    const auto bucket = static_cast<control::Bucket>(b);
    time.lines.push_back({std::string(to_string(bucket)),
                          share_of(ledger.seconds(bucket),
                                   std::max(1e-9, static_cast<double>(ledger.wall_ns) * 1e-9))});
  }
  Section incidents{.title = "incidents", .lines = {}};
  const auto& all = facts.driver->incidents;
  if (all.empty()) incidents.lines.push_back({"", "none"});
  const std::size_t first = all.size() > kShownIncidents ? all.size() - kShownIncidents : 0;
  if (first > 0)
    incidents.lines.push_back({"", fmt::format("{} earlier ones (megascale incidents)", first)});
  for (std::size_t i = first; i < all.size(); ++i) {
    const control::Incident& one = all[i];
    incidents.lines.push_back(
        {fmt::format("{}", one.number),
         fmt::format("{}{}; {}", one.what, one.step >= 0 ? fmt::format(" (step {})", one.step) : "",
                     one.closed_ns == 0 ? "open" : one.outcome)});
  }
  return {time, incidents};
}

}  // namespace

std::vector<Section> sections_of(const RunFacts& facts) {
  std::vector<Section> sections{
      run_section(facts),  training_section(facts), speed_section(facts), memory_section(facts),
      time_section(facts), overlap_section(facts),  op_section(facts),    rank_section(facts)};
  for (Section& section : driver_sections(facts)) sections.push_back(std::move(section));
  std::erase_if(sections, [](const Section& section) { return section.lines.empty(); });
  return sections;
}

std::string to_text(const RunFacts& facts) {
  std::string text;
  for (const Section& section : sections_of(facts)) {
    std::size_t width = 14;
    for (const Line& line : section.lines) width = std::max(width, line.heading.size());
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", section.title);
    for (const Line& line : section.lines)
      text += fmt::format("  {:<{}} {}\n", line.heading, width, line.text);
  }
  return text;
}

std::string live_text(const RunFacts& facts, std::size_t most_ranks) {
  std::string text = fmt::format("{}: {}\n", facts.name, state_text(facts));
  if (!facts.rows.empty()) {
    text += fmt::format("loss {}   grad norm {}   {} a step   {} tokens/s   MFU {}\n",
                        number_text(facts.newest("loss").value_or(std::nan(""))),
                        number_text(facts.newest("grad_norm").value_or(std::nan(""))),
                        seconds_text(facts.rates.step_seconds),
                        count_text(facts.rates.tokens_per_second), percent_text(facts.rates.mfu));
    if (const auto imbalance = facts.newest("expert_imbalance"))
      text += fmt::format("experts: {}\n", expert_text(facts, *imbalance));
  }
  if (!facts.records) return text + facts.no_records + "\n";
  const RecordFacts& records = *facts.records;
  const auto share = [](const observe::StepTimes& times, double seconds) {
    return percent_text(seconds / times.step);
  };
  text +=
      fmt::format("\n{:<22} {:>10} {:>9} {:>10} {:>9} {:>9} {:>9}  {}\n", steps_text(records.steps),
                  "step", "compute", "to usual", "exposed", "bubble", "data", "host");
  const auto row = [&](const std::string& name, const observe::StepTimes& t,
                       const std::string& more, const std::string& host) {
    text += fmt::format("{:<22} {:>10} {:>9} {:>10} {:>9} {:>9} {:>9}  {}\n", name,
                        seconds_text(t.step), share(t, t.compute), more, share(t, t.exposed_comm),
                        share(t, t.bubble), share(t, t.data_wait), host);
  };
  row(records.ranks.size() == 1 ? "rank" : fmt::format("{} ranks", records.ranks.size()),
      records.times, "", "");
  if (records.ranks.size() > 1) {
    for (std::size_t i = 0; i < std::min(most_ranks, records.ranks.size()); ++i)
      row(fmt::format("  rank {}", records.ranks[i].rank), records.ranks[i].times,
          more_text(1 + records.ranks[i].excess()), records.ranks[i].host);
  }
  for (const observe::Straggler& straggler : records.stragglers)
    text += fmt::format("slow: {}\n", to_string(straggler));
  if (facts.decline) text += fmt::format("slower: {}\n", to_string(*facts.decline));
  if (!facts.anomalies.empty())
    text += fmt::format("unusual: {}\n", to_string(facts.anomalies.back()));
  return text;
}

}  // namespace megascale::report
