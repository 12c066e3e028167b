// Predicted beside measured times: the means over the recorded ranks of two served runs, one simulated and
// one measured, by part of the step and by op kind. The ten largest differences first.
import { ApiError, type Column, type RankTable, type RunSummary } from "../api";
import { field, h, notice, replace, select } from "../dom";
import { percent, seconds } from "../format";
import type { Context } from "../page";
import { get_ranks } from "../ranks";

const kWorst = 10;
const kParts = ["step", "compute", "exposed_comm", "bubble", "data_wait"];

interface Line {
  label: string;
  predicted: number;
  measured: number;
}

function mean(column: Column | undefined): number {
  if (!column?.values.length) return 0;
  return column.values.reduce((sum, value) => sum + value, 0) / column.values.length;
}

// A folded simulation has one rank of each stage; then only the means of the stages can be compared.
function mean_of_stages(table: RankTable, column: Column | undefined): number {
  if (!column) return 0;
  const stages = new Map<number, [number, number]>();
  table.ranks.forEach((row, i) => {
    const [sum, count] = stages.get(row.at.pipeline) ?? [0, 0];
    stages.set(row.at.pipeline, [sum + column.values[i], count + 1]);
  });
  const means = [...stages.values()].map(([sum, count]) => sum / count);
  return means.length ? means.reduce((a, b) => a + b, 0) / means.length : mean(column);
}

async function times_of(run: RunSummary): Promise<RankTable> {
  const keys = (await get_ranks(run, 16, "")).columns.map(({ key }) => key).filter((key) => key.startsWith("op.") || kParts.includes(key));
  return get_ranks(run, 16, keys.join(","));
}

// The runs whose records can stand on the other side: a simulated one beside a real one, or the reverse.
function candidates(context: Context): RunSummary[] {
  const wants_simulated = context.run.kind !== "simulated";
  return context.runs.filter((run) => run.id !== context.run.id && run.kind !== "empty" && (run.kind === "simulated") === wants_simulated
    && run.job?.world_size === context.run.job?.world_size);
}

function line_row({ label, predicted, measured }: Line, step: number, most: number): HTMLElement {
  const difference = predicted - measured;
  const bar = h("span.difference", { title: `${difference > 0 ? "predicted too long" : "predicted too short"}` });
  const fill = h(`i.${difference > 0 ? "more" : "less"}`, {});
  fill.style.width = `${(100 * Math.abs(difference)) / (most || 1)}%`;
  bar.append(fill);
  return h("tr", {}, h("td", {}, label), h("td", {}, seconds(predicted)), h("td", {}, seconds(measured)),
    h("td", {}, `${difference > 0 ? "+" : difference < 0 ? "−" : ""}${seconds(Math.abs(difference))}`),
    h("td", {}, measured > 0 ? `${difference >= 0 ? "+" : ""}${percent(difference / measured, 0)}` : "–"),
    h("td", {}, step > 0 ? percent(Math.abs(difference) / step) : "–"), h("td.wide", {}, bar));
}

export function show_comparison(root: HTMLElement, context: Context): void {
  const others = candidates(context);
  const body = h("div");
  root.append(h("h2", {}, "Predicted beside measured"), body);
  if (others.length === 0) {
    const serve = context.run.kind === "simulated" ? `megascale serve RUN_DIR ${context.run.path}` : `megascale serve ${context.run.path} DIR`;
    const keep = `megascale simulate ${context.run.path}/config.toml --cluster FILE --keep DIR`;
    replace(body, h("p.muted", {}, "Serve a measured and a simulated run of the same job together to see which op kinds the simulator predicts badly: ",
      context.run.kind === "simulated" ? null : h("code", {}, keep), context.run.kind === "simulated" ? null : ", then ", h("code", {}, serve), "."));
    return;
  }
  let other = others.find((run) => String(run.id) === context.parameters.get("beside")) ?? others[0];
  const table = h("div");
  replace(body, h("div.controls", {}, field(context.run.kind === "simulated" ? "Measured run" : "Simulated run",
    select(others.map((run) => ({ value: String(run.id), label: run.name })), String(other.id), (value) => {
      other = others.find((run) => String(run.id) === value)!;
      context.remember({ beside: value });
      void load();
    }))), table);

  async function load(): Promise<void> {
    try {
      const [own, beside] = await Promise.all([times_of(context.run), times_of(other)]);
      const [predicted, measured] = context.run.kind === "simulated" ? [own, beside] : [beside, own];
      const value = (from: RankTable, key: string): number => mean_of_stages(from, from.columns.find((one) => one.key === key));
      const line = (key: string): Line => {
        const column = measured.columns.find((one) => one.key === key) ?? predicted.columns.find((one) => one.key === key)!;
        return { label: column.label, predicted: value(predicted, key), measured: value(measured, key) };
      };
      const step = value(measured, "step");
      const kinds = [...new Set([...measured.columns, ...predicted.columns].map(({ key }) => key).filter((key) => key.startsWith("op.")))].map(line);
      kinds.sort((a, b) => Math.abs(b.predicted - b.measured) - Math.abs(a.predicted - a.measured));
      const most = Math.max(...kinds.map((one) => Math.abs(one.predicted - one.measured)));
      const heads = (first: string): HTMLElement => h("thead", {}, h("tr", {}, ...[first, "Predicted", "Measured", "Difference", "Of the kind", "Of the step", "Picture"].map((text) => h("th", {}, text))));
      const parts = kParts.map(line);
      replace(table, h("div.scroll", { tabindex: 0, role: "region", "aria-label": "Parts of the step" }, h("table", {}, heads("Part of the step"),
          h("tbody", {}, ...parts.map((one) => line_row(one, step, Math.max(...parts.map((part) => Math.abs(part.predicted - part.measured)))))))),
        h("h2", {}, kinds.length > kWorst ? `The ${kWorst} op kinds with the largest difference` : "Op kinds"),
        h("div.scroll", { tabindex: 0, role: "region", "aria-label": "Op kinds" }, h("table", {}, heads("Op kind"),
          h("tbody", {}, ...kinds.slice(0, kWorst).map((one) => line_row(one, step, most))))),
        h("p.muted", {}, `Means over the recorded ranks of each stage: ${measured.steps.length} measured steps of ${measured.ranks.length} ranks, ${predicted.ranks.length} simulated ranks. megascale simulate --compare prints the medians.`));
    } catch (error) {
      replace(table, notice("The two runs cannot be compared", (error as ApiError).message, "empty"));
    }
  }
  void load();
}
