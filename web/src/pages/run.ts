// The page of a run: where it stands, and its metrics over the steps, live; other runs can be laid over.
import { ApiError, get, type Columns, type Job, type Metrics, type RunSummary } from "../api";
import { Chart, type Line, type Mark } from "../chart";
import { h, notice, replace } from "../dom";
import { bytes, duration, percent, seconds, short } from "../format";
import type { Context, Page } from "../page";
import { layout_text } from "../ranks";
import { tile, Tiles } from "../tiles";

const kPoints = 1500;

interface Plot {
  title: string;
  unit: string;
  metrics: { name: string; label: string }[];
  log?: boolean;
  meaning: string;
}
const kPlots: Plot[] = [
  { title: "Loss", unit: "nats", meaning: "nats a token", metrics: [{ name: "loss", label: "train" }, { name: "validation_loss", label: "validation" }] },
  { title: "Tokens per second", unit: "", meaning: "tokens of a step relative to its wall time", metrics: [{ name: "tokens_per_second", label: "tokens/s" }] },
  { title: "Utilization", unit: "ratio", meaning: "FLOPs relative to the peak of all ranks", metrics: [{ name: "mfu", label: "MFU" }, { name: "hfu", label: "HFU" }] },
  { title: "Step time", unit: "seconds", meaning: "wall time of a step", metrics: [{ name: "step_seconds", label: "step" }, { name: "checkpoint_stall_seconds", label: "checkpoint stall" }] },
  { title: "Waiting of rank 0", unit: "seconds", meaning: "why the compute lane of rank 0 stood still", metrics: [{ name: "exposed_comm_seconds", label: "exposed communication" }, { name: "bubble_seconds", label: "bubble" }, { name: "data_wait_seconds", label: "data" }] },
  { title: "Memory", unit: "bytes", meaning: "the largest arena of all ranks", metrics: [{ name: "memory_bytes", label: "arena" }] },
  { title: "Gradient norm", unit: "", meaning: "before clipping", metrics: [{ name: "grad_norm", label: "norm" }] },
  { title: "Learning rate", unit: "", meaning: "of the step", metrics: [{ name: "lr", label: "rate" }] },
];
// The columns of the sets of data.validation_sets begin so.
const kNamedLoss = "validation_losses.";

// The rows of one run, as they arrive.
class Rows {
  columns: Columns = { step: [] };
  checkpoints: number[] = []; // steps that ended with one
  replace({ columns, checkpoints }: Metrics): void {
    this.columns = { step: [], ...columns };
    this.checkpoints = checkpoints;
  }
  append(columns: Columns): void {
    const before = this.columns.step.length, added = columns.step.length;
    for (const name of new Set([...Object.keys(this.columns), ...Object.keys(columns)])) {
      const own = (this.columns[name] ??= Array<null>(before).fill(null));
      own.push(...(columns[name] ?? Array<null>(added).fill(null)));
    }
    columns.checkpoint_stall_seconds?.forEach((value, i) => {
      if (value !== null) this.checkpoints.push(columns.step[i]!);
    });
  }
  get last_step(): number {
    return this.columns.step.at(-1) ?? 0;
  }
}

export function show_run(root: HTMLElement, context: Context): Page {
  const others = new Set((context.parameters.get("with") ?? "").split(",").filter(Boolean).map(Number));
  const tiles = new Tiles("Where the run stands");
  const charts = h("div.charts");
  const legend = h("div.legend");
  const body = h("div", {});
  root.append(tiles.element, overlay_choice(), body);
  let stream: EventSource | null = null;
  let left = false;
  let plots: { plot: Plot; chart: Chart }[] = [];
  let incidents: Job["incidents"] = [];
  const rows = new Map<number, Rows>();

  function overlay_choice(): HTMLElement {
    const candidates = context.runs.filter((run) => run.id !== context.run.id && run.kind === "trained");
    if (candidates.length === 0) return h("div");
    return h("fieldset.overlay", {}, h("legend", {}, "Lay over"),
      ...candidates.map((run) => {
        const box = h("input", { type: "checkbox", checked: others.has(run.id) }) as HTMLInputElement;
        box.addEventListener("change", () => {
          if (box.checked) others.add(run.id);
          else others.delete(run.id);
          context.remember({ with: others.size ? [...others].join(",") : null });
          void load();
        });
        return h("label", {}, box, ` ${run.name}`);
      }));
  }

  function shown_runs(): RunSummary[] {
    return context.runs.filter((run) => run.id === context.run.id || others.has(run.id));
  }

  async function load(): Promise<void> {
    stream?.close();
    try {
      for (const run of shown_runs()) {
        const answer = await get<Metrics>(`/api/runs/${run.id}/metrics?points=${kPoints}`);
        const own = rows.get(run.id) ?? new Rows();
        own.replace(answer);
        rows.set(run.id, own);
      }
    } catch (error) {
      if (!left) replace(body, notice("Metrics cannot be read", (error as ApiError).message, "error"));
      return;
    }
    if (context.run.has_job) incidents = await get<Job>(`/api/runs/${context.run.id}/job`).then((job) => job.incidents, () => []);
    if (left) return;
    build();
    listen();
  }

  // Of this run; those of the runs that are laid over would be one thicket.
  function marks(): Mark[] {
    return [...rows.get(context.run.id)!.checkpoints.map((step): Mark => ({ step, kind: "checkpoint" })),
      ...incidents.filter(({ step }) => step >= 0).map(({ step }): Mark => ({ step, kind: "incident" }))];
  }

  // With a line for each named validation set of the shown runs.
  function metrics_of(plot: Plot): Plot["metrics"] {
    if (plot.title !== "Loss") return plot.metrics;
    const names = shown_runs().flatMap((run) => Object.keys(rows.get(run.id)?.columns ?? {})).filter((name) => name.startsWith(kNamedLoss));
    return [...plot.metrics, ...[...new Set(names)].sort().map((name) => ({ name, label: `validation ${name.slice(kNamedLoss.length)}` }))];
  }

  function build(): void {
    plots.forEach(({ chart }) => chart.destroy());
    plots = [];
    if (rows.get(context.run.id)!.columns.step.length === 0) {
      replace(body, context.run.kind === "simulated"
        ? notice("A simulated step has no metrics", "Open Heat map, Timeline or Plan: they show the simulated records.")
        : context.run.kind === "measured"
          ? notice("No metrics", "A training writes them with its first step, megascale bench step writes none. Heat map, 3D, Timeline and Plan show the records.")
        : context.run.kind === "empty"
          ? notice("This directory holds no run", `Start one with train.run_dir=${context.run.path}, or serve another directory.`)
          : notice("No step has ended yet", "Metrics appear here with the first step."));
      return;
    }
    charts.replaceChildren();
    for (const plot of kPlots) {
      const present = metrics_of(plot).filter(({ name }) =>
        shown_runs().some((run) => rows.get(run.id)?.columns[name]?.some((value) => value !== null)));
      if (present.length === 0) continue;
      const lines: Line[] = [];
      shown_runs().forEach((run, r) => present.forEach(({ label }, m) =>
        lines.push({
          label: shown_runs().length > 1 ? `${run.name} ${label}` : label,
          colour: `--series-${((r * present.length + m) % 6) + 1}`,
          dashed: r > 0,
        })));
      const chart = new Chart(plot.title, plot.unit, lines, plot.log, plot.meaning);
      charts.append(chart.element);
      plots.push({ plot: { ...plot, metrics: present }, chart });
    }
    replace(body, legend, charts);
    update();
  }

  // The steps of all shown runs on one axis; a run without a step has a gap there.
  function aligned(plot: Plot): (number | null)[][] {
    const shown = shown_runs().map((run) => rows.get(run.id)!.columns);
    if (shown.length === 1) return [shown[0].step, ...plot.metrics.map(({ name }) => shown[0][name] ?? [])];
    const steps = [...new Set(shown.flatMap((columns) => columns.step as number[]))].sort((a, b) => a - b);
    const place = new Map(steps.map((step, index) => [step, index]));
    const series = shown.flatMap((columns) => plot.metrics.map(({ name }) => {
      const values = Array<number | null>(steps.length).fill(null);
      columns[name]?.forEach((value, index) => (values[place.get(columns.step[index]!)!] = value));
      return values;
    }));
    return [steps, ...series];
  }

  function update(): void {
    const now = marks();
    for (const { plot, chart } of plots) {
      chart.set_marks(now);
      chart.set(aligned(plot) as never);
    }
    replace(legend, now.some(({ kind }) => kind === "checkpoint") ? h("span", {}, h("i.mark.checkpoint"), `${rows.get(context.run.id)!.checkpoints.length} checkpoints`) : null,
      now.some(({ kind }) => kind === "incident") ? h("span", {}, h("i.mark.incident"), `${incidents.length} incidents: the page Cluster lists them`) : null);
    show_tiles();
  }

  function show_tiles(): void {
    const columns = rows.get(context.run.id)!.columns;
    const job = context.run.job;
    const last = (name: string): number | null => columns[name]?.at(-1) ?? null;
    const step = rows.get(context.run.id)!.last_step;
    const recent = (columns.step_seconds ?? []).slice(-50).filter((value): value is number => value !== null).sort((a, b) => a - b);
    const typical = recent[Math.floor(recent.length / 2)];
    const list: HTMLElement[] = [];
    if (job) {
      const share = Math.min(1, step / job.train_iters);
      const progress = tile("Step", `${step.toLocaleString("en")}`, `of ${job.train_iters.toLocaleString("en")}`);
      progress.append(h("progress", { max: 1, value: share, "aria-label": "Progress" }));
      list.push(progress);
      if (step < job.train_iters && typical)
        list.push(tile("Time left", duration((job.train_iters - step) * typical), "at the median of 50 steps"));
    }
    const loss = last("loss"), rate = last("tokens_per_second"), mfu = last("mfu"), memory = last("memory_bytes"), tokens = last("consumed_tokens");
    if (loss !== null) list.push(tile("Loss", loss.toFixed(4), `perplexity ${short(Math.exp(loss))}`));
    if (rate !== null) list.push(tile("Tokens/s", short(rate), tokens !== null ? `${short(tokens)} so far` : ""));
    if (mfu !== null) list.push(tile("MFU", percent(mfu), last("hfu") !== null ? `HFU ${percent(last("hfu")!)}` : ""));
    if (typical) list.push(tile("Step time", seconds(typical), "median of 50"));
    if (memory !== null) list.push(tile("Memory", bytes(memory), "largest arena"));
    const skipped = last("skipped_steps");
    if (skipped) list.push(tile("Skipped steps", String(skipped), "loss or norm not finite"));
    if (job) list.push(tile("Ranks", String(job.world_size), layout_text(job)));
    tiles.show(list);
  }

  function listen(): void {
    const own = rows.get(context.run.id)!;
    stream = new EventSource(`/api/runs/${context.run.id}/stream?after=${own.last_step}`);
    stream.addEventListener("metrics", (event) => {
      const { columns } = JSON.parse((event as MessageEvent<string>).data) as Metrics;
      const is_first = own.columns.step.length === 0, known = Object.keys(own.columns).length;
      own.append(columns);
      // A column that was not there before is a new line, for instance of the first evaluation.
      const is_new = is_first || Object.keys(own.columns).length > known;
      if (own.columns.step.length > 3 * kPoints) void load();
      else if (is_new) build();
      else update();
    });
    stream.addEventListener("reset", () => void load());
  }

  void load();
  return {
    leave() {
      left = true;
      stream?.close();
      tiles.destroy();
      plots.forEach(({ chart }) => chart.destroy());
    },
  };
}
