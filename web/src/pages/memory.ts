// Memory of one rank in the course of a step, by category: areas on top of each other. A slider or the mouse
// chooses a time, first that of the peak.
import { ApiError, get, type MemoryOverTime, type Plan } from "../api";
import { field, h, replace, select } from "../dom";
import { bytes, seconds } from "../format";
import type { Context } from "../page";

const kPoints = 600, kWidth = 1000, kHeight = 100; // of the drawing, which is stretched to its place

function svg(tag: string, attributes: Record<string, string>): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

// The outline of what lies between two heights. Height i holds from x[i] to x[i + 1].
function area(x: number[], low: number[], high: number[]): string {
  const there: string[] = [], back: string[] = [];
  for (let i = 0; i + 1 < x.length; ++i) {
    const [from, to] = [x[i].toFixed(1), x[i + 1].toFixed(1)];
    there.push(`${from},${high[i].toFixed(2)} ${to},${high[i].toFixed(2)}`);
    back.push(`${to},${low[i].toFixed(2)} ${from},${low[i].toFixed(2)}`);
  }
  return [...there, ...back.reverse()].join(" ");
}

// `categories`: the names whose order gives the colours.
export function show_memory(root: HTMLElement, context: Context, plan: Plan, categories: string[]): void {
  const body = h("div");
  const firsts = plan.stages.map((stage) => String(stage.first_rank));
  let rank = context.parameters.get("rank") ?? firsts[0];
  const choose = (value: string): void => {
    rank = value;
    context.remember({ rank });
    void load();
  };
  const find = h("input", { value: rank, size: 7, inputmode: "numeric" }) as HTMLInputElement;
  find.addEventListener("change", () => choose(find.value));
  root.append(h("h2", {}, "Memory in the course of a step"),
    h("div.controls", {}, plan.stages.length > 1 ? field("First rank of", select(plan.stages.map((stage, i) => ({ value: firsts[i], label: `stage ${stage.stage}` })), rank, (value) => {
      find.value = value;
      choose(value);
    })) : null, field("Rank", find)), body);

  async function load(): Promise<void> {
    try {
      draw(await get<MemoryOverTime>(`/api/runs/${context.run.id}/memory?rank=${encodeURIComponent(rank)}&points=${kPoints}`));
    } catch (error) {
      replace(body, h("p.muted", {}, `Not known: ${(error as ApiError).message}`));
    }
  }

  function draw(memory: MemoryOverTime): void {
    const names = categories.filter((name) => memory.bytes[name]);
    const totals = memory.time.map((_, i) => names.reduce((sum, name) => sum + memory.bytes[name][i], 0));
    const peak = totals.indexOf(Math.max(...totals));
    const end = Math.max(1, memory.end, memory.time.at(-1) ?? 0);
    const x = [...memory.time.map((ns) => (Math.max(0, ns) / end) * kWidth), kWidth];
    const picture = svg("svg", { viewBox: `0 0 ${kWidth} ${kHeight}`, preserveAspectRatio: "none", role: "img",
      "aria-label": `Memory of rank ${memory.rank}: at most ${bytes(totals[peak])} of ${bytes(memory.arena_bytes)}` });
    const height_of = (nbytes: number): number => kHeight * (1 - nbytes / memory.arena_bytes);
    let below = totals.map(() => 0);
    for (const name of names) {
      const above = below.map((value, i) => value + memory.bytes[name][i]);
      picture.append(svg("polygon", { class: `memory-${categories.indexOf(name)}`, points: area(x, below.map(height_of), above.map(height_of)) }));
      below = above;
    }
    const line = svg("line", { class: "at", y1: "0", y2: String(kHeight) });
    picture.append(line);
    const slider = h("input", { type: "range", min: 0, max: memory.time.length - 1, value: peak }) as HTMLInputElement;
    const table = h("table.at-time", {});
    const show = (at: number): void => {
      line.setAttribute("x1", x[at].toFixed(1));
      line.setAttribute("x2", x[at].toFixed(1));
      replace(table, h("thead", {}, h("tr", {}, h("th", {}, "Category"), h("th", {}, `at ${seconds(Math.max(0, memory.time[at]) * 1e-9)}`), h("th", {}, "at the peak"))),
        h("tbody", {}, ...[...names, "all"].map((name) => h("tr", {}, h("td", {}, name === "all" ? null : h(`i.dot.memory-${categories.indexOf(name)}`), name.replace("_", " ")),
          ...[at, peak].map((i) => h("td", {}, bytes(name === "all" ? totals[i] : memory.bytes[name][i])))))));
    };
    slider.addEventListener("input", () => show(Number(slider.value)));
    picture.addEventListener("pointermove", (event) => {
      const box = picture.getBoundingClientRect();
      const ns = (((event as PointerEvent).clientX - box.left) / box.width) * end;
      const at = Math.max(0, memory.time.findLastIndex((time) => time <= ns));
      slider.value = String(at);
      show(at);
    });
    show(peak);
    replace(body,
      h("div.over-time", {},
        h("div.bytes", { "aria-hidden": "true" }, h("span", {}, bytes(memory.arena_bytes)), h("span", {}, bytes(memory.arena_bytes / 2)), h("span", {}, "0")),
        h("div", {}, picture as unknown as HTMLElement, h("div.times", { "aria-hidden": "true" }, h("span", {}, "0"), h("span", {}, seconds(end * 0.5e-9)), h("span", {}, seconds(end * 1e-9))),
          field("Time in the step", slider)),
        table),
      h("p.muted", {}, `Step ${memory.step} of rank ${memory.rank}: at most ${bytes(totals[peak])} hold something that is needed; the arena has ${bytes(memory.arena_bytes)}. A part of a buffer counts as all of it, so the sum may be a little larger than the arena.`));
  }
  void load();
}
