// The timeline of a step: the lanes of some ranks on one axis. Idle time of the compute lane is coloured by
// cause. A selected task shows what it waited for, what waited for it, and its partners on other ranks.
import { ApiError, get, type Lane, type Peers, type RankTable, type RankRow, type Timeline } from "../api";
import { kIdleColours, op_colour } from "../colours";
import { field, h, notice, replace, say, select } from "../dom";
import { seconds } from "../format";
import type { Context, Page } from "../page";
import { expert_group, get_ranks } from "../ranks";
import { colour, on_theme } from "../theme";
import { find_task, first_after, followers_of, last_of, partners_of, type Picked, rates_of, start_of } from "../timeline_tasks";

const kLane = 18, kRank = 24, kLabels = 150, kAxis = 24, kLeast = 200; // ns: the closest zoom
const kCauses = { exposed_comm: "exposed communication", bubble: "bubble", data_wait: "wait for data" };

interface Line {
  rank: number; // index in timeline.ranks
  lane: Lane | null; // null: the heading of the rank
  y: number;
}
const kMostPartners = 16; // that one click adds

// From the start of the task that others wait for to the end of the wait of one of them.
function cross(g: CanvasRenderingContext2D, last: Picked, other: Picked, stroke: string, x_of: (ns: number) => number, middle: (task: Picked) => number): void {
  const x1 = x_of(start_of(last)), x2 = x_of(other.lane.matched[other.index]), y1 = middle(last), y2 = middle(other);
  g.strokeStyle = g.fillStyle = colour(stroke);
  g.lineWidth = 2;
  g.beginPath();
  g.moveTo(x1, y1);
  g.bezierCurveTo(x1 + 18, y1 + (y2 - y1) / 3, x2 + 18, y2 - (y2 - y1) / 3, x2, y2);
  g.stroke();
  g.beginPath();
  g.arc(x2, y2, 3.5, 0, 7);
  g.fill();
}

export function show_timeline(root: HTMLElement, context: Context): Page {
  let data: Timeline | null = null;
  let from = 0, to = 1; // ns shown
  let lines: Line[] = [];
  let picked: Picked | null = null;
  let left = false;
  let table: RankTable | null = null;
  const controls = h("div.controls");
  const canvas = h("canvas", { tabindex: 0, role: "application", "aria-label": "Timeline. Keys a and d move, w and s zoom, arrows go from task to task." }) as HTMLCanvasElement;
  const holder = h("div.timeline", {}, canvas);
  const details = h("section.panel.details", { "aria-live": "polite" });
  const legend = h("div.legend", { "aria-hidden": "true" });
  const message = h("div");
  root.append(controls, message, holder, legend, details);
  const stop_theme = on_theme(() => draw());
  const observer = new ResizeObserver(() => draw());
  observer.observe(holder);

  const width = (): number => holder.clientWidth;
  const x_of = (ns: number): number => kLabels + ((ns - from) / (to - from)) * (width() - kLabels);
  const ns_of = (x: number): number => from + ((x - kLabels) / (width() - kLabels)) * (to - from);

  function lay_out(): number {
    lines = [];
    let y = kAxis;
    data!.ranks.forEach((rank, r) => {
      lines.push({ rank: r, lane: null, y });
      y += kRank;
      for (const lane of rank.lanes) {
        lines.push({ rank: r, lane, y });
        y += kLane;
      }
      y += 6;
    });
    return y;
  }

  function name_of(rank: number, id: number): string {
    return data!.plans[data!.ranks[rank].plan].name[id];
  }

  function draw(): void {
    if (!data || left || width() === 0) return;
    const height = lay_out();
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.floor(width() * ratio);
    canvas.height = Math.floor(height * ratio);
    canvas.style.width = `${width()}px`;
    canvas.style.height = `${height}px`;
    const g = canvas.getContext("2d")!;
    g.scale(ratio, ratio);
    g.font = "11px system-ui, sans-serif";
    g.textBaseline = "middle";
    draw_axis(g, height);
    g.save();
    g.beginPath();
    g.rect(kLabels, 0, width() - kLabels, height);
    g.clip();
    for (const line of lines) if (line.lane) draw_lane(g, line);
    draw_edges(g);
    g.restore();
    for (const line of lines) {
      const rank = data.ranks[line.rank];
      g.textAlign = "left";
      g.fillStyle = colour(line.lane ? "--muted" : "--text");
      g.font = `${line.lane ? "" : "600 "}11px system-ui, sans-serif`;
      const text = line.lane ? line.lane.lane : `rank ${rank.rank}${rank.host ? ` · ${rank.host}` : ""}`;
      g.fillText(text, line.lane ? 14 : 2, line.y + (line.lane ? kLane / 2 : kRank / 2 + 2), kLabels - 18);
    }
  }

  function draw_axis(g: CanvasRenderingContext2D, height: number): void {
    const target = (to - from) / Math.max(2, (width() - kLabels) / 110);
    const power = 10 ** Math.floor(Math.log10(target));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= target)!;
    g.strokeStyle = colour("--grid");
    g.fillStyle = colour("--muted");
    g.textAlign = "center";
    g.lineWidth = 1;
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const x = Math.round(x_of(at)) + 0.5;
      if (x < kLabels) continue;
      g.beginPath();
      g.moveTo(x, kAxis - 6);
      g.lineTo(x, height);
      g.stroke();
      g.fillText(seconds(at * 1e-9), x, 8);
    }
  }

  function draw_lane(g: CanvasRenderingContext2D, line: Line): void {
    const { lane, y } = line as { lane: Lane; y: number };
    const rank = data!.ranks[line.rank], plan = data!.plans[rank.plan];
    g.fillStyle = colour("--track");
    g.fillRect(kLabels, y + 1, width() - kLabels, kLane - 2);
    if (lane.lane === "compute") {
      for (const piece of rank.idle) {
        if (piece.to < from || piece.from > to) continue;
        g.fillStyle = colour(kIdleColours[piece.cause]);
        const x = x_of(piece.from);
        g.fillRect(x, y + 4, Math.max(0.5, x_of(piece.to) - x), kLane - 8);
      }
    }
    let drawn = -1; // the last pixel that a task filled, so that thousands of short tasks stay cheap
    for (let i = first_after(lane, from); i < lane.start.length && lane.start[i] < to; ++i) {
      const x = x_of(lane.start[i]), end = x_of(lane.end[i]);
      if (end < drawn + 0.5) continue;
      const op = plan.op[lane.id[i]];
      if (lane.matched[i] > lane.start[i]) {
        g.fillStyle = colour("--waiting");
        g.fillRect(x, y + 2, Math.max(0.5, x_of(lane.matched[i]) - x), kLane - 4);
      }
      const moving = lane.matched[i] > lane.start[i] ? x_of(lane.matched[i]) : x;
      g.fillStyle = op_colour(op);
      const span = Math.max(0.6, end - moving);
      g.fillRect(moving, y + 2, span, kLane - 4);
      drawn = end;
      if (span > 46) {
        g.fillStyle = "#fff";
        g.textAlign = "left";
        g.save();
        g.beginPath();
        g.rect(Math.max(moving, kLabels), y, end - Math.max(moving, kLabels), kLane);
        g.clip();
        g.fillText(span > 180 ? plan.name[lane.id[i]] : plan.ops[op], Math.max(moving, kLabels) + 4, y + kLane / 2);
        g.restore();
      }
    }
    if (picked && picked.rank === line.rank && picked.lane === lane) {
      const x = x_of(lane.start[picked.index]);
      g.strokeStyle = colour("--text");
      g.lineWidth = 2;
      g.strokeRect(x, y + 1, Math.max(2, x_of(lane.end[picked.index]) - x), kLane - 2);
    }
  }

  function draw_edges(g: CanvasRenderingContext2D): void {
    if (!picked) return;
    const middle = (task: Picked): number => lines.find((line) => line.rank === task.rank && line.lane === task.lane)!.y + kLane / 2;
    const edge = (a: Picked, b: Picked, stroke: string): void => {
      const x1 = x_of(a.lane.end[a.index]), x2 = x_of(b.lane.start[b.index]), y1 = middle(a), y2 = middle(b);
      g.strokeStyle = colour(stroke);
      g.lineWidth = 1.5;
      g.beginPath();
      g.moveTo(x1, y1);
      g.bezierCurveTo(x1 + 24, y1, x2 - 24, y2, x2, y2);
      g.stroke();
      g.beginPath();
      g.arc(x2, y2, 3, 0, 7);
      g.fillStyle = g.strokeStyle;
      g.fill();
    };
    const awaited = picked.lane.awaited[picked.index];
    const cause = awaited >= 0 ? find_task(data!, picked.rank, awaited) : null;
    if (cause) edge(cause, picked, "--edge-in");
    followers_of(data!, picked).slice(0, 50).forEach((task) => edge(picked!, task, "--edge-out"));
    const partners = partners_of(data!, picked);
    for (const partner of partners) {
      g.strokeStyle = colour("--edge-partner");
      g.setLineDash([4, 3]);
      g.beginPath();
      g.moveTo(x_of(picked.lane.matched[picked.index]), middle(picked));
      g.lineTo(x_of(partner.lane.matched[partner.index]), middle(partner));
      g.stroke();
      g.setLineDash([]);
    }
    // Bytes move once the last partner has started: all others wait for it.
    const last = last_of([picked, ...partners]);
    for (const other of last === picked ? partners : partners.length ? [picked] : [])
      if (other !== last && start_of(other) < start_of(last)) cross(g, last, other, last === picked ? "--edge-out" : "--edge-in", x_of, middle);
  }

  function pick(task: Picked | null, reveal = false): void {
    picked = task;
    if (task && reveal) {
      const start = task.lane.start[task.index], end = task.lane.end[task.index];
      if (start < from || end > to) zoom_to((start + end) / 2 - (to - from) / 2, (start + end) / 2 + (to - from) / 2);
    }
    draw();
    show_details();
  }

  function show_details(): void {
    if (!picked) {
      replace(details, h("p.muted", {}, "Select a task to see what it waited for and what waited for it."));
      return;
    }
    const { lane, index, rank } = picked;
    const id = lane.id[index], plan = data!.plans[data!.ranks[rank].plan];
    const took = lane.end[index] - lane.start[index], moving = lane.end[index] - lane.matched[index];
    const facts: [string, string | HTMLElement][] = [
      ["Op", plan.ops[plan.op[id]]],
      ["Rank, lane", `${data!.ranks[rank].rank}, ${lane.lane}`],
      ["Took", seconds(took * 1e-9)],
      ["Waited before", seconds((lane.start[index] - lane.head[index]) * 1e-9)],
    ];
    if (lane.group) facts.push(["Waited for partners", seconds((lane.matched[index] - lane.start[index]) * 1e-9)], ["Bytes moved for", seconds(moving * 1e-9)], ["Group", lane.group[index]]);
    facts.push(...rates_of(data!, picked));
    const link = (task: Picked): HTMLElement => h("button.link", { onclick: () => pick(task, true) },
      `${name_of(task.rank, task.lane.id[task.index])}${task.rank === rank ? "" : ` (rank ${data!.ranks[task.rank].rank})`}`);
    const awaited = lane.awaited[index];
    const cause = awaited >= 0 ? find_task(data!, rank, awaited) : null;
    facts.push(["Waited for", cause ? link(cause) : "nothing: its lane was next"]);
    const followers = followers_of(data!, picked);
    if (followers.length) facts.push(["Waited for this", h("span", {}, ...followers.slice(0, 6).flatMap((task) => [link(task), " "]), followers.length > 6 ? `and ${followers.length - 6} more` : null)]);
    const partners = partners_of(data!, picked);
    const last = last_of([picked, ...partners]);
    if (partners.length && last !== picked && moving < took) facts.push(["Waited across ranks for", link(last)]);
    if (partners.length && last === picked) facts.push(["The others waited for", "this rank: it started last"]);
    if (lane.group && partners.length === 0) facts.push(["Partners", h("button.link", { onclick: () => void add_partners(picked!) }, "show their ranks")]);
    if (partners.length) facts.push(["Partners", h("span", {}, ...partners.slice(0, 8).flatMap((task) => [link(task), " "]))]);
    replace(details, h("h2", {}, plan.name[id]), h("dl.facts", {}, ...facts.flatMap(([key, value]) => [h("dt", {}, key), h("dd", {}, value)])));
    say(`${plan.name[id]}, ${seconds(took * 1e-9)}`);
  }

  // Adds the ranks of the task's group, so that its edges can be drawn.
  async function add_partners(task: Picked): Promise<void> {
    const rank = data!.ranks[task.rank].rank, key = task.lane.group![task.index], id = task.lane.id[task.index];
    const peers = await get<Peers>(`/api/runs/${context.run.id}/peers?rank=${rank}`);
    const members = peers.groups.find((group) => group.key === key)?.members ?? [];
    const recorded = new Set(table!.ranks.map((row) => row.rank));
    const here = members.indexOf(rank);
    // The nearest in the group, if it is large.
    const near = members.filter((one) => recorded.has(one)).sort((a, b) => Math.abs(members.indexOf(a) - here) - Math.abs(members.indexOf(b) - here)).slice(0, kMostPartners);
    if (left || near.length < 2) return say("the partners have no records");
    const [a, b] = [from, to];
    const all = [...new Set([...data!.ranks.map((one) => one.rank), ...near])].sort((x, y) => x - y);
    context.remember({ ranks: all.join(","), step: String(data!.step) });
    (controls.querySelector("input") as HTMLInputElement).value = all.join(",");
    await load();
    const again = data ? data.ranks.findIndex((one) => one.rank === rank) : -1;
    if (again < 0) return;
    pick(find_task(data!, again, id));
    zoom_to(a, b);
  }

  function zoom_to(a: number, b: number): void {
    const span = Math.min(Math.max(b - a, kLeast), data!.end);
    from = Math.min(Math.max(0, a), data!.end - span);
    to = from + span;
    draw();
  }
  function zoom(factor: number, at = (from + to) / 2): void {
    zoom_to(at - (at - from) * factor, at + (to - at) * factor);
  }
  function task_at(event: MouseEvent): Picked | null {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const line = lines.find((one) => one.lane && y >= one.y && y < one.y + kLane);
    if (!line?.lane || x < kLabels) return null;
    const slack = ((to - from) / (width() - kLabels)) * 2; // two pixels
    const index = first_after(line.lane, ns_of(x) - slack);
    return index < line.lane.start.length && line.lane.start[index] <= ns_of(x) + slack ? { rank: line.rank, lane: line.lane, index } : null;
  }

  canvas.addEventListener("wheel", (event) => {
    if (!data || event.shiftKey) return;
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) zoom_to(from + (event.deltaX * (to - from)) / width(), to + (event.deltaX * (to - from)) / width());
    else zoom(Math.exp(event.deltaY * 0.0016), ns_of(event.clientX - box.left));
  }, { passive: false });
  let drag: { x: number; from: number; to: number; moved: boolean } | null = null;
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, from, to, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!data) return;
    if (!drag) {
      const task = task_at(event);
      canvas.title = task ? `${name_of(task.rank, task.lane.id[task.index])}  ${seconds((task.lane.end[task.index] - task.lane.start[task.index]) * 1e-9)}` : "";
      return;
    }
    const shift = ((drag.x - event.clientX) / (width() - kLabels)) * (drag.to - drag.from);
    if (Math.abs(drag.x - event.clientX) > 3) drag.moved = true;
    if (drag.moved) zoom_to(drag.from + shift, drag.to + shift);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (drag && !drag.moved && data) pick(task_at(event));
    drag = null;
  });
  canvas.addEventListener("dblclick", (event) => {
    const task = data ? task_at(event) : null;
    if (task) zoom_to(task.lane.start[task.index], task.lane.end[task.index]);
  });

  function take_key(event: KeyboardEvent): boolean {
    if (!data) return false;
    const span = to - from;
    switch (event.key) {
      case "a": zoom_to(from - 0.2 * span, to - 0.2 * span); return true;
      case "d": zoom_to(from + 0.2 * span, to + 0.2 * span); return true;
      case "w": zoom(0.7); return true;
      case "s": zoom(1.4); return true;
      case "0": zoom_to(0, data.end); return true;
      case "Escape": pick(null); return true;
      case "ArrowLeft":
      case "ArrowRight": {
        const step = event.key === "ArrowRight" ? 1 : -1;
        const lane = picked?.lane ?? data.ranks[0].lanes[0];
        const index = picked ? picked.index + step : first_after(lane, from);
        if (lane.id[index] !== undefined) pick({ rank: picked?.rank ?? 0, lane, index }, true);
        return true;
      }
      case "ArrowUp":
      case "ArrowDown": {
        const tracks = lines.filter((line) => line.lane);
        const here = picked ? tracks.findIndex((line) => line.rank === picked!.rank && line.lane === picked!.lane) : -1;
        const next = tracks[here + (event.key === "ArrowDown" ? 1 : -1)];
        if (!next?.lane) return true;
        const at = picked ? picked.lane.start[picked.index] : from;
        pick({ rank: next.rank, lane: next.lane, index: Math.min(first_after(next.lane, at), next.lane.id.length - 1) }, true);
        return true;
      }
      default: return false;
    }
  }

  // The ranks that differ from `rank` on one axis only.
  function group_of(rank: RankRow, axis: keyof RankRow["at"] | "expert"): number[] {
    const { job } = context.run;
    if (!job) return [rank.rank];
    let group: number[];
    if (axis === "expert") {
      group = expert_group(rank.rank, job);
    } else {
      const stride = { tensor: 1, context: job.tensor, data: job.tensor * job.context, pipeline: job.tensor * job.context * job.data }[axis];
      group = Array.from({ length: job[axis] }, (_, i) => rank.rank + (i - rank.at[axis]) * stride);
    }
    const recorded = new Set(table!.ranks.map((one) => one.rank));
    return table!.reading ? group : group.filter((one) => recorded.has(one)); // a simulation may have few ranks
  }

  function show_controls(): void {
    const asked = context.parameters.get("ranks") ?? String(table!.ranks[0].rank);
    const ranks = h("input", { value: asked, size: 16, spellcheck: "false", placeholder: "0-3,8" }) as HTMLInputElement;
    ranks.addEventListener("change", () => {
      context.remember({ ranks: ranks.value });
      void load();
    });
    const step = select(table!.steps.slice().reverse().slice(0, 64).map((one) => ({ value: String(one), label: String(one) })), context.parameters.get("step") ?? "", (value) => {
      context.remember({ step: value });
      void load();
    });
    const group = select([{ value: "", label: "choose …" }, ...(["pipeline", "data", "tensor", "context", ...((context.run.job?.expert ?? 1) > 1 ? ["expert" as const] : [])] as const).map((axis) => ({ value: axis, label: `${axis} group` }))], "", (axis) => {
      const first = Number.parseInt(ranks.value, 10);
      const row = table!.ranks.find((one) => one.rank === first) ?? table!.ranks[0];
      if (!axis) return;
      ranks.value = group_of(row, axis as never).join(",");
      context.remember({ ranks: ranks.value });
      void load();
    });
    replace(controls, field("Ranks", ranks), field("Their group", group), field("Step", step),
      h("button", { onclick: () => data && zoom_to(0, data.end), title: "Key 0" }, "Whole step"),
      h("button", { onclick: () => void load() }, "Newest step"),
      h("span.muted", { title: "Writes a trace that ui.perfetto.dev opens" }, "Perfetto: ", h("code", {}, `megascale trace ${context.run.path}`)));
    controls.querySelectorAll("button")[1].addEventListener("click", () => context.remember({ step: null }), { capture: true });
  }

  async function load(): Promise<void> {
    const ranks = context.parameters.get("ranks") ?? String(table!.ranks[0].rank);
    const step = context.parameters.get("step");
    try {
      const answer = await get<Timeline>(`/api/runs/${context.run.id}/timeline?ranks=${encodeURIComponent(ranks)}${step ? `&step=${step}` : ""}`);
      if (left) return;
      data = answer;
      picked = null;
      message.replaceChildren();
      from = 0;
      to = answer.end;
      holder.hidden = legend.hidden = details.hidden = false;
      replace(legend, h("span", {}, `step ${answer.step}, ${seconds(answer.end * 1e-9)}`),
        ...(Object.keys(kCauses) as (keyof typeof kCauses)[]).map((cause) => h("span", {}, h(`i.${cause}`), kCauses[cause])),
        h("span", {}, h("i.waiting"), "waits for a partner"));
      draw();
      show_details();
    } catch (error) {
      if (left) return;
      holder.hidden = legend.hidden = details.hidden = true;
      replace(message, notice("This step cannot be shown", (error as ApiError).message, (error as ApiError).status === 404 ? "empty" : "error"));
    }
  }

  async function start(): Promise<void> {
    try {
      table = await get_ranks(context.run, 64, "");
    } catch (error) {
      holder.hidden = details.hidden = legend.hidden = true;
      replace(message, notice("No records of ranks", (error as ApiError).message, (error as ApiError).status === 404 ? "empty" : "error"));
      return;
    }
    if (left) return;
    show_controls();
    await load();
  }
  void start();

  return {
    leave() {
      left = true;
      observer.disconnect();
      stop_theme();
    },
    key: take_key,
  };
}
