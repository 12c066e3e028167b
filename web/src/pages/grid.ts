// The grid of all ranks in space: data, tensor and pipeline. Colours tell times or states; a chosen rank
// shows its groups, with the direction and the load of their transfers. If the job hangs, the rank that
// holds it up stands out.
import { ApiError, get, type Hang, type Job, type PeerGroup, type Peers, type RankTable } from "../api";
import { group_colour, heat_scale, scale_colour, state_colour, type State } from "../colours";
import { field, h, notice, replace, say, select } from "../dom";
import { bytes, of_unit, percent } from "../format";
import { Looks } from "../grid_cells";
import { GridLayout } from "../grid_layout";
import { GridView, type Link } from "../grid_view";
import type { Context, Page } from "../page";
import { type Cell, cells_of, expert_of, experts_text, get_ranks, kCauses, layout_text, place_text, rank_list, reading_note } from "../ranks";
import { colour, on_theme, rgb_of } from "../theme";

const kRefresh = 3000, kReading = 400; // ms; the latter while the server still reads records
const kSilentSteps = 5, kSilentSeconds = 10; // a run that says nothing for so long is looked at for a hang
const kAxisColours: Record<string, string> = { tensor: "--series-1", data: "--series-2", pipeline: "--series-3", context: "--series-4", expert: "--series-5" };
const kMostLegend = 16; // groups of experts
const kArrows = { both: "↔", sends: "→", receives: "←", none: "–" };
const kStates: Record<State, string> = { usual: "as its peers", slow: "slow", stuck: "holds up the job", waits: "waits for it", unknown: "no records" };

interface RankFacts {
  value: number | null;
  excess: number;
  state: State;
  text: string; // why the state
}

export function show_grid(root: HTMLElement, context: Context): Page {
  let view: GridView | null = null;
  let layout: GridLayout;
  let table: RankTable | null = null;
  let hang: Hang | null = null;
  let job: Job | null = null;
  let facts: RankFacts[] = [];
  let links: Link[] = [];
  let near = new Set<number>(); // the chosen rank and its peers; empty: none is chosen
  let chosen = -1;
  let key = context.parameters.get("column") ?? "";
  let scale = context.parameters.get("scale") ?? "";
  let range: [number, number] = [0, 1]; // of the values
  let left = false;
  let timer = 0;

  const controls = h("div.controls");
  const verdict = h("div.verdict", { role: "status" });
  const holder = h("div.space-holder", { tabindex: 0, role: "application", "aria-label": "Grid of ranks. Arrow keys choose a rank along data and tensor, Page Up and Page Down along stages." });
  const tip = h("div.tip", { hidden: true });
  const panel = h("section.panel.side", { "aria-label": "Chosen rank" });
  const legend = h("div.scale");
  const body = h("div.grid3", {}, h("div", {}, holder, legend), panel);
  root.append(controls, verdict, body);
  const stop_theme = on_theme(() => {
    paint();
    show_links();
  });

  const shows_experts = (): boolean => key === "experts" && (context.run.job?.expert ?? 1) > 1;
  const is_folded = (): boolean => table !== null && context.run.kind === "simulated" && (table.reading?.all ?? table.ranks.length) < layout.world;
  const column = (): RankTable["columns"][number] | undefined => table?.columns.find((one) => one.key === key);

  // One entry for each rank of the job, from the table, the slow ranks and the analysis of a hang.
  function gather(): void {
    facts = Array.from({ length: layout.world }, () => ({ value: null, excess: 0, state: "unknown" as State, text: "" }));
    const measured = column();
    if (table && measured) {
      const cells = cells_of(table, measured);
      const take = (rank: number, cell: Cell): void => {
        facts[rank] = { value: cell.value, excess: cell.excess, state: "usual", text: "" };
      };
      if (is_folded()) {
        const like = new Map<number, Cell>(); // by stage
        for (const cell of cells) if (!like.has(cell.row.at.pipeline)) like.set(cell.row.at.pipeline, cell);
        for (let rank = 0; rank < layout.world; ++rank) {
          const cell = like.get(layout.at(rank).pipeline);
          if (cell) take(rank, cell);
        }
      }
      for (const cell of cells) take(cell.row.rank, cell);
      for (const one of table.stragglers) for (const rank of one.ranks) Object.assign(facts[rank], { state: "slow", text: `${kCauses[one.cause]}: ${one.text}` });
      for (const one of table.problems) if (facts[one.rank]) facts[one.rank].text = one.text;
    }
    for (const one of hang?.waiting ?? []) Object.assign(facts[one.rank], { state: "waits", text: `waits in ${one.task} for rank ${rank_list(one.awaited)}` });
    for (const one of (hang?.suspects ?? []).slice().reverse()) Object.assign(facts[one.rank], { state: "stuck", text: one.reason });
    range = [Infinity, -Infinity];
    for (const { value } of facts) if (value !== null) range = [Math.min(range[0], value), Math.max(range[1], value)];
    if (range[0] > range[1]) range = [0, 1];
  }

  function paint(): void {
    if (!view) return;
    const back = rgb_of(colour("--surface"));
    const by_experts = shows_experts();
    const by_state = !by_experts && (key === "state" || !column());
    const shade_of = heat_scale();
    const is_hung = hang?.hangs ?? false;
    const looks = new Looks(layout.world), through: number[] = [];
    facts.forEach((one, rank) => {
      const is_stuck = one.state === "stuck";
      const at = by_experts && !is_stuck ? group_colour(expert_of(rank, context.run.job!))
        : by_state || one.value === null || is_stuck || (is_hung && one.state === "waits")
        ? state_colour(one.state)
        : scale === "absolute" ? scale_colour((one.value - range[0]) / (range[1] - range[0] || 1)) : shade_of(one.excess).rgb;
      const fades = near.size > 0 ? !near.has(rank) && !is_stuck : is_hung && !is_stuck && one.state !== "waits";
      const share = fades ? 0.72 : 0;
      for (let part = 0; part < 3; ++part) looks.colours[3 * rank + part] = at[part] + (back[part] - at[part]) * share;
      looks.scales[rank] = rank === chosen || is_stuck ? 1.38 : one.state === "slow" ? 1.15 : 1;
      if (looks.scales[rank] > 1 || near.has(rank)) through.push(rank);
    });
    view.set_looks(looks, through);
    show_legend(by_state);
  }

  function show_legend(by_state: boolean): void {
    const counts = new Map<State, number>();
    for (const one of facts) counts.set(one.state, (counts.get(one.state) ?? 0) + 1);
    const states = (shown: State[]): HTMLElement[] => shown.filter((state) => counts.has(state)).map((state) => {
      const dot = h("i.dot", {});
      dot.style.background = `rgb(${state_colour(state).join(" ")})`;
      return h("span", {}, dot, `${kStates[state]} (${counts.get(state)})`);
    });
    if (shows_experts()) {
      const job = context.run.job!;
      replace(legend, ...Array.from({ length: Math.min(job.expert, kMostLegend) }, (_, i) => {
        const dot = h("i.dot", {});
        dot.style.background = `rgb(${group_colour(i).join(" ")})`;
        return h("span", {}, dot, experts_text(i * job.expert_tensor, job));
      }), job.expert > kMostLegend && h("span.muted", {}, `and ${job.expert - kMostLegend} more; colours repeat`));
    } else if (by_state) {
      replace(legend, ...states(["usual", "slow", "stuck", "waits", "unknown"]));
    } else {
      const unit = column()!.unit;
      const name = scale === "absolute" ? "gradient.absolute" : "gradient";
      replace(legend, h("span", {}, scale === "absolute" ? of_unit(range[0], unit) : "−20 %"), h(`span.${name}`, {}),
        h("span", {}, scale === "absolute" ? of_unit(range[1], unit) : "+20 %"),
        h("span.muted", {}, scale === "absolute" ? column()!.label : "against the median of the ranks with the same work"), ...(hang?.hangs ? states(["stuck", "waits"]) : []));
    }
    legend.append(h("span.muted.hint", {}, "drag turns, wheel zooms, click chooses"));
  }

  function show_verdict(): void {
    const suspects = hang?.suspects ?? [];
    replace(verdict,
      ...suspects.slice(0, 3).map((one) => h("div.straggler", {}, h("span.cause", {}, "holds up the job"), h("span", {}, ` ${one.reason}`),
        h("span.muted", {}, ` its process ${one.process_id || ""}${one.host ? ` on ${one.host}` : ""} is ${one.process} `),
        h("button.plain", { onclick: () => void choose(one.rank) }, "show"))),
      ...(table?.stragglers ?? []).slice(0, 2).map((one) => h("div.straggler", {}, h(`span.cause.${one.cause}`, {}, kCauses[one.cause]), ` ${one.text} `,
        h("button.plain", { onclick: () => void choose(one.ranks[0]) }, "show"))),
      (table?.stragglers.length ?? 0) > 2 && h("div.muted", {}, `and ${table!.stragglers.length - 2} more, which the heat map lists`),
      is_folded() && h("div.muted", {}, `Simulated with ${table!.ranks.length} of ${layout.world} ranks: each other rank is shown as the first of its stage.`),
      table?.reading ? reading_note(table.reading)
        : suspects.length === 0 && table && !table.stragglers.length && !is_folded() && h("div.fine", {}, "No rank stands out in the last steps."));
  }

  function link_of(group: PeerGroup, rank: number, most: number): Link | null {
    if (group.axes.length !== 1 || !group.members) return null;
    const shade = colour(kAxisColours[group.axes[0]] ?? "--muted");
    const load = Math.max(group.sent_bytes, group.received_bytes) / most;
    if (group.size === 2 && group.direction !== "both") {
      const other = group.members.find((one) => one !== rank)!;
      const sends = group.direction === "sends";
      return { from: sends ? rank : other, to: sends ? other : rank, arrow: true, colour: shade, load, lift: group.lane.startsWith("backward") ? -1 : 1 };
    }
    return { from: group.members[0], to: group.members.at(-1)!, arrow: false, colour: shade, load, lift: 0 };
  }

  let peers: Peers | null = null;
  function show_links(): void {
    if (!view) return;
    const groups = peers?.groups ?? [];
    const most = Math.max(1, ...groups.map((group) => Math.max(group.sent_bytes, group.received_bytes)));
    links = groups.map((group) => link_of(group, chosen, most)).filter((one): one is Link => one !== null);
    view.set_links(links);
  }

  async function choose(rank: number): Promise<void> {
    if (rank === chosen || !view) return;
    chosen = rank;
    context.remember({ rank: rank < 0 ? null : String(rank) });
    near = new Set(rank < 0 ? [] : [rank]);
    peers = null;
    paint();
    show_links();
    show_panel();
    if (rank < 0) return;
    say(`rank ${rank}, ${place_text(layout.at(rank))}${facts[rank].text ? `, ${facts[rank].text}` : ""}`);
    try {
      const answer = await get<Peers>(`/api/runs/${context.run.id}/peers?rank=${rank}`);
      if (left || chosen !== rank) return;
      peers = answer;
      for (const group of answer.groups) if (group.axes.length === 1) group.members?.forEach((one) => near.add(one));
      paint();
      show_links();
      show_panel();
    } catch (error) {
      if (!left && chosen === rank) panel.append(notice("Its groups cannot be shown", (error as ApiError).message, "error"));
    }
  }

  function show_panel(): void {
    if (chosen < 0) {
      replace(panel, h("h2.title", {}, `${layout.world} ranks`), h("p.muted", {}, layout_text(context.run.job!)),
        h("p.muted", {}, "Choose a rank to see its groups, the direction and the load of their transfers, and its state."));
      return;
    }
    const { value, excess, state, text } = facts[chosen];
    const row = table?.ranks.find((one) => one.rank === chosen);
    const lines: [string, string][] = [["Place", place_text(layout.at(chosen))], ["Host", row?.host || "unknown"], ["State", text || kStates[state]]];
    if ((context.run.job?.experts ?? 0) > 0) lines.splice(1, 0, ["Holds", `${experts_text(chosen, context.run.job!)} of ${context.run.job!.experts} in each layer`]);
    if (value !== null && column()) lines.push([column()!.label, `${of_unit(value, column()!.unit)} (${excess >= 0 ? "+" : ""}${percent(excess)} against peers)`]);
    const told = job?.incidents.filter((one) => one.rank === chosen || (one.rank < 0 && one.host !== "" && one.host === row?.host)).at(-1);
    if (told) lines.push(["Last incident", `${told.what}${told.step >= 0 ? `, step ${told.step}` : ""}: ${told.open ? "open" : told.outcome}`]);
    replace(panel,
      h("div.head", {}, h("h2", {}, `Rank ${chosen}`),
        row ? h("button", { onclick: () => context.go("timeline", { ranks: String(chosen) }) }, "Timeline") : null,
        h("button.plain", { onclick: () => void choose(-1), title: "Key Esc" }, "Close")),
      h("dl.facts", {}, ...lines.flatMap(([name, what]) => [h("dt", {}, name), h("dd", {}, what)])),
      peers && h("table.groups", {},
        h("thead", {}, h("tr", {}, h("th", {}, "Group"), h("th", {}, "With"), h("th", {}, "A step"), h("th", {}, "Rate"))),
        h("tbody", {}, ...peers.groups.map(group_row))),
      peers && peers.times_of !== undefined && peers.times_of !== chosen && h("p.muted", {}, `Rates are those of rank ${peers.times_of}, which has the same plan.`));
  }

  function group_row(group: PeerGroup): HTMLElement {
    const moved = Math.max(group.sent_bytes, group.received_bytes);
    const swatch = h("i.dot", {});
    swatch.style.background = colour(group.axes.length === 1 ? (kAxisColours[group.axes[0]] ?? "--muted") : "--muted");
    const others = group.members?.filter((rank) => rank !== chosen);
    return h("tr", { title: `${group.key}, lane ${group.lane}, ${group.transfers} transfers a step` },
      h("td", {}, swatch, `${group.axes.join(" × ")} `, h("span.muted", {}, group.axes.join() === group.lane ? "" : group.lane.replace("_", " "))),
      h("td", {}, `${kArrows[group.direction]} ${others ? rank_list(others, 4) : `${group.size - 1} ranks`}`),
      h("td", {}, bytes(moved)),
      h("td", {}, group.moving_seconds && moved > 0 ? `${bytes(moved / group.moving_seconds)}/s` : "–"));
  }

  function show_controls(): void {
    const experts = (context.run.job?.expert ?? 1) > 1 ? [{ value: "experts", label: "experts" }] : [];
    const columns = [{ value: "state", label: "state" }, ...experts, ...(table?.columns ?? []).map((one) => ({ value: one.key, label: one.label, group: one.group }))];
    const find = h("input", { size: 7, inputmode: "numeric", placeholder: "rank" }) as HTMLInputElement;
    find.addEventListener("change", () => {
      const rank = Number(find.value);
      if (Number.isInteger(rank) && rank >= 0 && rank < layout.world && find.value !== "") void choose(rank);
    });
    replace(controls,
      field("Colour", select(columns, key, (value) => {
        key = value;
        context.remember({ column: value });
        void load();
      })),
      field("Scale", select([{ value: "peers", label: "against peers" }, { value: "absolute", label: "least to most" }], scale, (value) => {
        scale = value;
        context.remember({ scale: value });
        paint();
      })),
      field("Find", find),
      h("button", { onclick: () => view?.show_all(), title: "Key 0" }, "Whole grid"));
  }

  // Whether the run has been silent for so long that it may hang, or has died.
  function is_silent(): boolean {
    const { kind, age_seconds, newest } = context.run;
    return kind === "trained" && (age_seconds ?? 0) > Math.max(kSilentSeconds, kSilentSteps * (newest.step_seconds ?? 0));
  }

  async function load(): Promise<void> {
    window.clearTimeout(timer);
    const asked = key;
    try {
      table = await get_ranks(context.run, 8, asked || "compute");
      if (!asked) key = "compute";
      scale ||= is_folded() ? "absolute" : "peers";
    } catch (error) {
      if ((error as ApiError).status !== 404) throw error;
      key ||= "state"; // no records: the grid alone
      scale ||= "peers";
    }
    if (context.run.has_job) job = await get<Job>(`/api/runs/${context.run.id}/job`).catch(() => null);
    hang = is_silent() ? await get<Hang>(`/api/runs/${context.run.id}/hang`).catch(() => null) : null;
    if (left || (asked && asked !== key)) return;
    if (!controls.hasChildNodes() || (table && controls.querySelectorAll("option").length < 5)) show_controls();
    gather();
    paint();
    show_verdict();
    if (!panel.contains(document.activeElement)) show_panel(); // not under somebody's focus
    timer = window.setTimeout(() => void load().catch(fail), table?.reading ? kReading : context.run.kind === "simulated" ? 60_000 : kRefresh);
  }

  function fail(error: unknown): void {
    if (!left) replace(verdict, notice("Records cannot be read", (error as ApiError).message, "error"));
  }

  function listen(): void {
    let pressed: [number, number] | null = null;
    view!.canvas.addEventListener("pointerdown", (event) => { pressed = [event.clientX, event.clientY]; });
    view!.canvas.addEventListener("click", (event) => {
      if (pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) < 4) void choose(view!.rank_at(event));
    });
    view!.canvas.addEventListener("pointermove", (event) => {
      const rank = event.buttons ? -1 : view!.rank_at(event);
      tip.hidden = rank < 0;
      view!.canvas.style.cursor = rank < 0 ? "grab" : "pointer";
      if (rank < 0) return;
      const { value, excess, text } = facts[rank];
      const box = holder.getBoundingClientRect();
      tip.style.transform = `translate(${event.clientX - box.left + 14}px, ${event.clientY - box.top + 14}px)`;
      replace(tip, h("strong", {}, `rank ${rank}`), h("div", {}, place_text(layout.at(rank))),
        value !== null && column() ? h("div", {}, `${column()!.label} ${of_unit(value, column()!.unit)}, ${excess >= 0 ? "+" : ""}${percent(excess)}`) : null, text ? h("div", {}, text) : null);
    });
    view!.canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  }

  function take_key(event: KeyboardEvent): boolean {
    if (!view) return false;
    const ways: Record<string, [0 | 1 | 2, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1], PageUp: [2, 1], PageDown: [2, -1] };
    const way = ways[event.key];
    if (way) void choose(chosen < 0 ? 0 : layout.neighbour(chosen, ...way));
    else if (event.key === "Escape") void choose(-1);
    else if (event.key === "0") view.show_all();
    else if (event.key === "+" || event.key === "w") view.zoom(0.85);
    else if (event.key === "-" || event.key === "s") view.zoom(1 / 0.85);
    else return false;
    return true;
  }

  function start(): void {
    if (!context.run.job) {
      body.hidden = true;
      replace(verdict, notice("No grid", context.run.problem ?? "The size of the job is not known.", "empty"));
      return;
    }
    layout = new GridLayout(context.run.job);
    facts = Array.from({ length: layout.world }, () => ({ value: null, excess: 0, state: "unknown" as State, text: "" }));
    try {
      view = new GridView(layout);
    } catch {
      body.hidden = true;
      replace(verdict, notice("This browser draws no WebGL", "Turn on hardware acceleration or software rendering of WebGL. The heat map shows the same numbers without it.", "error"));
      return;
    }
    holder.append(view.element, tip);
    listen();
    paint();
    show_panel();
    void load().then(() => {
      const rank = Number(context.parameters.get("rank") ?? hang?.suspects?.[0]?.rank ?? -1);
      if (rank >= 0 && rank < layout.world) void choose(rank);
    }).catch(fail);
  }
  start();

  return {
    leave() {
      left = true;
      window.clearTimeout(timer);
      stop_theme();
      view?.destroy();
    },
    key: take_key,
  };
}
