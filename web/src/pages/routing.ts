// Experts: how evenly tokens go to them, by layer and over the steps; what is dropped, and what imbalance costs.
import { ApiError, get, type Metrics, type Routing } from "../api";
import { Chart, type Line } from "../chart";
import { field, h, notice, replace, select } from "../dom";
import { count, percent } from "../format";
import { LoadMap } from "../load_map";
import type { Context, Page } from "../page";
import { experts_text } from "../ranks";
import { tile, Tiles } from "../tiles";

const kRefresh = 3000, kSteps = 512, kPoints = 1500, kRows = 10;

function mean(values: (number | null)[]): number {
  const known = values.filter((value): value is number => value !== null);
  return known.length ? known.reduce((a, b) => a + b, 0) / known.length : 0;
}
function largest(values: (number | null)[]): number | null {
  const known = values.filter((value): value is number => value !== null);
  return known.length ? Math.max(...known) : null;
}

export function show_routing(root: HTMLElement, context: Context): Page {
  const tiles = new Tiles("Routing now");
  const body = h("div");
  root.append(tiles.element, body);
  const by_layer = new LoadMap("Load by layer and expert", (row) => show_layer(routing!.layers[row]));
  const by_step = new LoadMap("Load of the layer by expert and step");
  const imbalance = new Chart("Imbalance", "", [{ label: "worst layer", colour: "--series-1" }, { label: "mean of layers", colour: "--series-3" }, { label: "worst layer, by rank", colour: "--series-2", dashed: true }], false,
    "largest load of an expert, or of a rank with experts, relative to the mean");
  const shares = new Chart("Shares", "ratio", [{ label: "dropped", colour: "--series-2" }, { label: "of the step, for imbalance", colour: "--series-4" }], false,
    "choices that got no row; the share of the step for which the busiest ranks compute longer than the mean");
  const losses_lines: Line[] = [{ label: "balancing", colour: "--series-1" }, { label: "z", colour: "--series-4" }];
  const losses = new Chart("Losses of the router", "", losses_lines, false, "mean over the layers, nats a token, with their coefficients");
  const controls = h("div.controls");
  const layer_head = h("h2", {});
  const table = h("div");
  let routing: Routing | null = null;
  let shown = -1; // the step of the map by layer; -1: the newest
  let layer = Number(context.parameters.get("layer") ?? -1);
  let left = false;
  let timer = 0;

  function show_layer(number: number): void {
    layer = number;
    context.remember({ layer: String(number) });
    show_maps();
  }

  function show_maps(): void {
    const { layers, loads } = routing!;
    const at = loads.find(({ step }) => step === shown) ?? loads.at(-1);
    if (!at) return;
    if (!layers.includes(layer)) layer = layers[0];
    const place = layers.indexOf(layer);
    by_layer.set({ row_name: "layer", column_name: "expert", columns: at.loads[0].map((_, expert) => String(expert)),
      rows: layers.map((number, i) => ({ label: String(number), values: at.loads[i], mean: mean(at.loads[i]) })) });
    by_step.set({ row_name: "step", column_name: "expert", columns: at.loads[place].map((_, expert) => String(expert)),
      rows: loads.map((one) => ({ label: String(one.step), values: one.loads[place], mean: mean(one.loads[place]) })) });
    replace(layer_head, `Layer ${layer} over the steps`);
    replace(controls,
      field("Step", select([{ value: "-1", label: "newest" }, ...loads.map(({ step }) => ({ value: String(step), label: String(step) })).reverse()], String(shown), (value) => {
        shown = Number(value);
        show_maps();
      })),
      field("Layer", select(layers.map((number) => ({ value: String(number), label: String(number) })), String(layer), (value) => show_layer(Number(value)))),
      h("span.muted", {}, `step ${at.step}: loads of the whole step over all ranks`));
    show_table(at.loads);
  }

  function show_table(loads: (number | null)[][]): void {
    const { job } = context.run;
    const all = loads.flatMap((of_layer, i) => of_layer.map((load, expert) => ({ layer: routing!.layers[i], expert, load: load ?? 0, usual: mean(of_layer) })));
    const busiest = all.filter(({ usual }) => usual > 0).sort((a, b) => b.load / b.usual - a.load / a.usual).slice(0, kRows);
    const holder = (expert: number): string => {
      if (!job || job.experts === 0 || job.expert <= 1) return "all ranks of a stage";
      return `place ${Math.floor(expert / (job.experts / job.expert))} of ${job.expert} in an expert group`;
    };
    replace(table, h("h2", {}, "Busiest experts"), h("div.scroll", { tabindex: 0, role: "region", "aria-label": "Busiest experts" }, h("table", {},
      h("thead", {}, h("tr", {}, ...["Layer", "Expert", "Load", "Times the mean", "Held by"].map((text) => h("th", {}, text)))),
      h("tbody", {}, ...busiest.map((one) => h("tr", {}, h("td", {}, h("button.link", { onclick: () => show_layer(one.layer) }, String(one.layer))), h("td", {}, String(one.expert)),
        h("td", {}, count(one.load)), h("td", {}, (one.load / one.usual).toFixed(2)), h("td", {}, holder(one.expert))))))));
  }

  // How many choices the newest step dropped, and where most of them.
  function dropped_text(of_layers: (number | null)[]): string {
    const all = of_layers.reduce<number>((sum, one) => sum + (one ?? 0), 0);
    if (all === 0) return "no choice of the newest step";
    return `${count(all)} ${all === 1 ? "choice" : "choices"} of the newest step; layer ${routing!.layers[of_layers.indexOf(largest(of_layers))]} most`;
  }

  function show_numbers(metrics: Metrics): void {
    const { step, imbalance: of_layers, rank_imbalance, dropped, aux_loss, z_loss } = routing!;
    const newest = of_layers.at(-1) ?? [], worst = largest(newest);
    const job = context.run.job;
    // Not from the metrics: in long runs a point of theirs is the mean of several steps.
    const dropped_share = routing!.dropped_share.at(-1) ?? null, cost = routing!.imbalance_share.at(-1) ?? null;
    tiles.show([
      tile("Experts", job?.experts ? String(job.experts) : "–", job?.experts ? `${routing!.layers.length} layers; a rank holds ${job.expert > 1 ? experts_text(0, job) + " and so on" : "all"}` : ""),
      tile("Worst layer", worst === null ? "–" : `${worst.toFixed(2)} ×`, worst === null ? "" : `layer ${routing!.layers[newest.indexOf(worst)]}: busiest expert to the mean`),
      tile("Dropped", dropped_share === null ? "–" : percent(dropped_share), dropped_text(dropped.at(-1) ?? [])),
      tile("Cost of imbalance", cost === null ? "–" : percent(cost), "of the step, estimated"),
    ]);
    imbalance.set([step, of_layers.map(largest), of_layers.map(mean), rank_imbalance.map(largest)] as never);
    const { columns } = metrics;
    const none = columns.step.map(() => null);
    shares.set([columns.step, columns.expert_dropped_share ?? none, columns.expert_imbalance_share ?? none] as never);
    losses.set([step, aux_loss.map(mean), z_loss.map(mean)] as never);
  }

  async function load(): Promise<void> {
    window.clearTimeout(timer);
    try {
      const [answer, metrics] = await Promise.all([get<Routing>(`/api/runs/${context.run.id}/routing?steps=${kSteps}`), get<Metrics>(`/api/runs/${context.run.id}/metrics?points=${kPoints}`)]);
      if (left) return;
      const is_first = routing === null;
      const is_new = is_first || answer.step.at(-1) !== routing!.step.at(-1);
      routing = answer;
      if (is_first) {
        replace(body, h("div.charts", {}, imbalance.element, shares.element, losses.element), h("h2", {}, "Load by layer and expert"), controls, by_layer.element,
          h("div.scale", { "aria-hidden": "true" }, h("span", {}, "no load"), h("span.gradient", {}), h("span", {}, "twice the mean or more"), h("span.muted", {}, "a click chooses the layer below")),
          layer_head, by_step.element, table);
      }
      if (is_new) show_numbers(metrics);
      if (is_new && !controls.contains(document.activeElement)) show_maps(); // not under somebody's choice
    } catch (error) {
      if (left) return;
      const failure = error as ApiError;
      if (routing === null) replace(body, notice(failure.status === 404 ? "No routed experts" : "Metrics cannot be read", failure.message, failure.status === 404 ? "empty" : "error"));
    }
    timer = window.setTimeout(() => void load(), kRefresh);
  }

  void load();
  return {
    leave() {
      left = true;
      window.clearTimeout(timer);
      tiles.destroy();
      by_layer.destroy();
      by_step.destroy();
      for (const chart of [imbalance, shares, losses]) chart.destroy();
    },
  };
}
