// The heat map: one cell for each rank, coloured by how much it differs from the median of the ranks
// with the same work, so that a stage with more work is not taken for a slow one.
import { type ApiError, get, type RankSteps, type RankTable, type WorstTask } from "../api";
import { Chart } from "../chart";
import { field, h, notice, replace, say, select } from "../dom";
import { of_unit, percent, seconds } from "../format";
import { heat_scale } from "../colours";
import type { Context, Page } from "../page";
import { type Cell, cells_of, get_ranks, kCauses, reading_note, where } from "../ranks";
import { colour, on_theme } from "../theme";

const kRefresh = 2000, kReading = 400; // ms; the latter while the server still reads records
const kTableRows = 12;
const kWorstSteps = 16, kWorstRows = 10;
const kTaskCauses = { compute: "computes", exposed_comm: "waits for its bytes", bubble: "waits for its partner", data_wait: "waits for the batch" };
const kMostCell = 44, kLeastCell = 5, kMostHeight = 620; // pixels
const kBetween = 8; // between rows that share a line
export function show_heat(root: HTMLElement, context: Context): Page {
  let table: RankTable | null = null;
  let cells: Cell[] = [];
  let key = context.parameters.get("column") ?? "compute";
  let steps = context.parameters.get("steps") ?? "8";
  let rows_by = context.parameters.get("rows") ?? "auto";
  let selected = 0; // index in cells
  let is_pointed = false; // the mouse is over a cell
  let left = false;
  let timer = 0;

  const controls = h("div.controls");
  const verdict = h("div.verdict", { role: "status" });
  const canvas = h("canvas", {
    tabindex: 0,
    role: "application",
    "aria-label": "Heat map of ranks. Arrow keys choose a rank, Enter opens it.",
  }) as HTMLCanvasElement;
  const readout = h("div.readout");
  const map = h("div.map", {}, canvas, readout);
  const scale = h("div.scale", { "aria-hidden": "true" });
  const slowest = h("div.slowest");
  const body = h("div.heat", {}, h("div", {}, map, scale), slowest);
  const panel = h("section.panel", { hidden: true });
  root.append(controls, verdict, body, panel);
  const stop_theme = on_theme(() => draw());
  const observer = new ResizeObserver(() => draw());
  observer.observe(map);

  function choose(index: number, open: boolean): void {
    if (!cells[index]) return;
    selected = index;
    draw_choice();
    const { row, value, excess } = cells[index];
    const column = table!.columns.find((one) => one.key === key)!;
    const text = `rank ${row.rank}: ${of_unit(value, column.unit)}, ${excess >= 0 ? "+" : ""}${percent(excess)}`;
    replace(readout, h("strong", {}, `rank ${row.rank}`), ` ${of_unit(value, column.unit)} `,
      h("span", {}, `${excess >= 0 ? "+" : ""}${percent(excess)} against its peers`), h("span.muted", {}, where(row)));
    say(text);
    if (open) void show_rank(row.rank);
  }

  // The rows of the map, each with the indices of its cells.
  function rows(): { label: string; cells: number[] }[] {
    const groups = new Map<string, number[]>();
    const hosts = new Set(cells.map(({ row }) => row.host));
    const by = rows_by === "auto" ? (hosts.size > 1 ? "host" : "stage") : rows_by;
    cells.forEach(({ row }, i) => {
      const label = by === "host" ? row.host || "host" : by === "data" ? `data ${row.at.data}` : `stage ${row.at.pipeline}`;
      const group = groups.get(label);
      if (group) group.push(i);
      else groups.set(label, [i]);
    });
    return [...groups].map(([label, list]) => ({ label, cells: list }));
  }

  // Where each cell is drawn, and the labels. Many short rows share lines, so that thousands of ranks fit a screen.
  let places: { x: number; y: number; size: number }[] = [];
  let picture: HTMLCanvasElement | null = null; // without the chosen cell
  function lay_out(width: number): { height: number; labels: { text: string; y: number }[]; indent: number } {
    const groups = rows();
    const indent = Math.min(160, 12 + 7 * Math.max(...groups.map((group) => group.label.length)));
    const longest = Math.max(...groups.map((group) => group.cells.length));
    const room = width - indent;
    const plan = (size: number): { per_line: number; abreast: number; height: number } => {
      const per_line = Math.max(1, Math.min(longest, Math.floor(room / size)));
      const single = groups.reduce((sum, group) => sum + Math.ceil(group.cells.length / per_line) * size + 4, 4);
      if (single <= kMostHeight || per_line < longest) return { per_line, abreast: 1, height: single };
      const abreast = Math.max(1, Math.floor((room + kBetween) / (longest * size + kBetween)));
      return { per_line, abreast, height: Math.ceil(groups.length / abreast) * (size + 4) + 4 };
    };
    let size = Math.max(kLeastCell, Math.min(kMostCell, Math.floor(room / Math.min(longest, 128))));
    while (size > kLeastCell && plan(size).height > kMostHeight) --size;
    const { per_line, abreast, height } = plan(size);
    places = [];
    const labels: { text: string; y: number }[] = [];
    let y = 4;
    groups.forEach((group, g) => {
      const column = g % abreast;
      if (column === 0) labels.push({ text: group.label, y: y + size / 2 });
      group.cells.forEach((index, i) => {
        places[index] = { x: indent + column * (longest * size + kBetween) + (i % per_line) * size, y: y + Math.floor(i / per_line) * size, size };
      });
      if (column === abreast - 1) y += Math.ceil(group.cells.length / per_line) * size + 4;
    });
    return { height: Math.max(height, y + 4), labels, indent };
  }

  // Draws all cells; draw_choice() then adds the chosen one.
  function draw(): void {
    if (!table || left) return;
    const width = map.clientWidth - 20; // without its padding
    if (width <= 0) return;
    const { height, labels, indent } = lay_out(width);
    const ratio = devicePixelRatio || 1;
    picture = document.createElement("canvas");
    for (const one of [picture, canvas]) {
      one.width = Math.floor(width * ratio);
      one.height = Math.floor(height * ratio);
    }
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const g = picture.getContext("2d")!;
    g.scale(ratio, ratio);
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    g.fillStyle = colour("--muted");
    let free = -Infinity;
    for (const { text, y } of labels) {
      if (y < free) continue; // no room for its letters
      g.fillText(text, 0, y, indent - 8);
      free = y + 14;
    }
    const named = new Set(table.stragglers.flatMap((one) => one.ranks));
    const bad = colour("--bad");
    g.textAlign = "center";
    const shade_of = heat_scale();
    cells.forEach((cell, index) => {
      const { x, y, size } = places[index];
      const gap = size > 12 ? 2 : 1, side = size - gap;
      const fill = shade_of(cell.excess);
      g.fillStyle = fill.css;
      g.fillRect(x, y, side, side);
      if (size >= 24) {
        g.fillStyle = fill.is_light ? "#10131a" : "#ffffff";
        g.fillText(String(cell.row.rank), x + side / 2, y + side / 2);
      }
      if (!named.has(cell.row.rank)) return;
      g.strokeStyle = bad;
      g.lineWidth = size > 12 ? 2 : 1;
      g.strokeRect(x + g.lineWidth / 2, y + g.lineWidth / 2, side - g.lineWidth, side - g.lineWidth);
    });
    draw_choice();
  }

  function draw_choice(): void {
    const place = places[selected];
    if (!picture || !place) return;
    const g = canvas.getContext("2d")!;
    const ratio = devicePixelRatio || 1;
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, canvas.width, canvas.height);
    g.drawImage(picture, 0, 0);
    if (document.activeElement !== canvas && !is_pointed) return;
    g.scale(ratio, ratio);
    g.strokeStyle = colour("--text");
    g.lineWidth = 2;
    const side = place.size - (place.size > 12 ? 2 : 1);
    g.strokeRect(place.x, place.y, side, side);
  }

  function cell_at(event: MouseEvent): number {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    return places.findIndex((place) => x >= place.x && x < place.x + place.size && y >= place.y && y < place.y + place.size);
  }
  canvas.addEventListener("mousemove", (event) => {
    const index = cell_at(event);
    canvas.style.cursor = index >= 0 ? "pointer" : "default";
    is_pointed = index >= 0;
    if (index >= 0 && index !== selected) choose(index, false);
    else draw_choice();
  });
  canvas.addEventListener("mouseleave", () => {
    is_pointed = false;
    draw_choice();
  });
  canvas.addEventListener("click", (event) => choose(cell_at(event), true));
  canvas.addEventListener("focus", () => choose(selected, false));
  canvas.addEventListener("blur", () => draw_choice());
  canvas.addEventListener("keydown", (event) => {
    const here = places[selected];
    if (!here) return;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "Enter") choose(selected, true);
    else if (step?.[0]) choose(Math.max(0, Math.min(cells.length - 1, selected + step[0])), false);
    else if (step) {
      // The nearest cell above or below.
      let nearest = -1, best_dy = Infinity, best_dx = Infinity;
      places.forEach(({ x, y }, i) => {
        const dy = (y - here.y) * step[1], dx = Math.abs(x - here.x);
        if (dy > 0 && (dy < best_dy || (dy === best_dy && dx < best_dx))) [nearest, best_dy, best_dx] = [i, dy, dx];
      });
      if (nearest >= 0) choose(nearest, false);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  function show_controls(): void {
    replace(controls,
      field("Colour", select(table!.columns.map((one) => ({ value: one.key, label: one.label, group: one.group })), key, (value) => {
        key = value;
        context.remember({ column: value });
        void load(true);
      })),
      field("Last steps", select(["1", "4", "8", "16", "64", "256"].map((value) => ({ value, label: value })), steps, (value) => {
        steps = value;
        context.remember({ steps: value });
        void load(true);
      })),
      field("Rows", select([{ value: "auto", label: "automatic" }, { value: "host", label: "hosts" }, { value: "stage", label: "pipeline stages" }, { value: "data", label: "data coordinate" }], rows_by, (value) => {
        rows_by = value;
        context.remember({ rows: value });
        draw();
      })),
      h("span.muted.steps", {}));
  }

  function show_table(): void {
    const column = table!.columns.find((one) => one.key === key)!;
    cells = cells_of(table!, column);
    const last = table!.steps.at(-1)!;
    replace(controls.querySelector(".steps")!, `steps ${table!.steps[0]} to ${last}, mean of ${table!.steps.length}`);
    replace(verdict,
      ...(table!.stragglers.length
        ? table!.stragglers.slice(0, 5).map((one) =>
            h("div.straggler", {}, h(`span.cause.${one.cause}`, {}, kCauses[one.cause]), ` ${one.text} `,
              h("span.muted", {}, `(${seconds(one.seconds)} a step, its peers ${seconds(one.usual_seconds)}; in ${one.votes} of ${one.steps} steps)`),
              h("button.plain", { onclick: () => void show_rank(one.ranks[0]) }, "history")))
        : table!.reading ? [reading_note(table!.reading)]
        : [h("div.fine", {}, table!.steps.length < 8 && context.run.kind === "trained"
            ? "Fewer than 8 steps so far: nobody is judged yet."
            : "No rank stands out in the last steps.")]),
      ...table!.problems.slice(0, 3).map((one) => h("div.straggler", {}, h("span.cause", {}, "not shown"), ` rank ${one.rank}: ${one.text}`)));
    const order = cells.map((cell, i) => ({ cell, i })).sort((a, b) => b.cell.excess - a.cell.excess).slice(0, kTableRows);
    replace(slowest, h("h2.title", {}, "Outliers first"), h("table", {},
      h("thead", {}, h("tr", {}, h("th", {}, "Rank"), h("th", {}, "Value"), h("th", {}, "Against peers"), h("th", {}, "Where"))),
      h("tbody", {}, ...order.map(({ cell }) => h("tr", {},
        h("td", {}, h("button.link", { onclick: () => void show_rank(cell.row.rank) }, String(cell.row.rank))),
        h("td", {}, of_unit(cell.value, column.unit)),
        h("td", {}, `${cell.excess >= 0 ? "+" : ""}${percent(cell.excess)}`),
        h("td.muted", {}, where(cell.row)))))));
    replace(scale, h("span", {}, "−20 %"), h("span.gradient", {}), h("span", {}, "+20 %"), h("span.muted", {}, "against the median of the ranks with the same work"));
    draw();
  }

  // The tasks that took most of the compute lane in the last steps, by their mean over these steps.
  function worst_tasks(rank: number, answer: RankSteps): HTMLElement {
    const recent = answer.worst.slice(-kWorstSteps);
    const sums = new Map<string, { task: WorstTask; seconds: number; steps: number; newest: number }>();
    for (const { step, tasks } of recent) {
      for (const task of tasks) {
        const key = `${task.cause} ${task.task}`;
        const sum = sums.get(key) ?? { task, seconds: 0, steps: 0, newest: step };
        sums.set(key, { task, seconds: sum.seconds + task.seconds, steps: sum.steps + 1, newest: step });
      }
    }
    const worst = [...sums.values()].sort((a, b) => b.seconds - a.seconds).slice(0, kWorstRows);
    if (worst.length === 0) return h("p.muted", {}, "These steps were stored without their tasks.");
    return h("div", {}, h("h2", {}, `Worst tasks of the last ${recent.length === 1 ? "step" : `${recent.length} steps`}`),
      h("div.scroll", { tabindex: 0, role: "region", "aria-label": "Worst tasks" }, h("table", {},
        h("thead", {}, h("tr", {}, ...["Task", "The compute lane", "Mean of these steps", "Among the worst in", "Show"].map((text) => h("th", {}, text)))),
        h("tbody", {}, ...worst.map(({ task, seconds: sum, steps: count, newest }) => h("tr", {},
          h("td", {}, task.name), h("td", {}, kTaskCauses[task.cause]), h("td", {}, seconds(sum / count)), h("td", {}, `${count} of ${recent.length} steps`),
          h("td", {}, h("button.link", { onclick: () => context.go("timeline", { ranks: String(rank), step: String(newest) }) }, `step ${newest}`))))))));
  }

  let charts: Chart[] = [];
  async function show_rank(rank: number): Promise<void> {
    charts.forEach((chart) => chart.destroy());
    charts = [];
    panel.hidden = false;
    try {
      const answer = await get<RankSteps>(`/api/runs/${context.run.id}/rank?rank=${rank}&steps=256`);
      const close = h("button.plain", { onclick: () => { panel.hidden = true; canvas.focus(); } }, "Close");
      const box = h("div.charts");
      replace(panel, h("div.head", {}, h("h2", { tabindex: -1 }, `Rank ${rank} beside its peers`),
        h("span.muted", {}, `${answer.host || "host unknown"} · ${answer.peers} ranks with the same work`),
        h("button", { onclick: () => context.go("timeline", { ranks: String(rank), step: String(answer.steps.at(-1)) }) }, "Timeline"), close), box);
      box.after(worst_tasks(rank, answer));
      const shown = answer.columns.filter((one) => one.key === key || ["compute", "exposed_comm", "bubble"].includes(one.key));
      for (const one of shown) {
        const chart = new Chart(`${one.group}: ${one.label}`, one.unit, [{ label: `rank ${rank}`, colour: "--series-1" }, { label: "median", colour: "--series-3", dashed: true }]);
        box.append(chart.element);
        chart.set([answer.steps, one.values, one.median!] as never);
        charts.push(chart);
      }
      panel.querySelector("h2")!.focus();
      panel.scrollIntoView({ block: "nearest" });
    } catch (error) {
      replace(panel, notice(`Rank ${rank} cannot be shown`, (error as ApiError).message, "error"));
    }
  }

  async function load(is_other = false): Promise<void> {
    window.clearTimeout(timer);
    const asked = `steps=${steps}&columns=${encodeURIComponent(key)}`;
    try {
      const answer = await get_ranks(context.run, steps, key);
      if (left || asked !== `steps=${steps}&columns=${encodeURIComponent(key)}`) return; // another load follows
      if (!answer.columns.some((one) => one.key === key)) {
        key = answer.columns[0].key; // of another job, or of none
        return void load(is_other);
      }
      const is_first = table === null;
      const is_new = is_first || is_other || table!.reading !== undefined || answer.steps.at(-1) !== table!.steps.at(-1) || answer.steps.length !== table!.steps.length;
      table = answer;
      if (is_first) show_controls();
      body.hidden = false;
      if (is_new) show_table();
    } catch (error) {
      if (left) return;
      const failure = error as ApiError;
      table = null;
      body.hidden = true;
      replace(verdict, notice(failure.status === 404 ? "No records of ranks" : "Records cannot be read", failure.message, failure.status === 404 ? "empty" : "error"));
    }
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void load(), table?.reading ? kReading : context.run.kind === "simulated" ? 60_000 : kRefresh);
  }

  void load();
  return {
    leave() {
      left = true;
      window.clearTimeout(timer);
      observer.disconnect();
      stop_theme();
      charts.forEach((chart) => chart.destroy());
    },
    key(event) {
      if (event.key !== "Escape" || panel.hidden) return false;
      panel.hidden = true;
      return true;
    },
  };
}
