// The frame of the dashboard: runs, pages, keys. The address is "#/RUN/PAGE?parameters".
import "./style.css";
import { get, ApiError, type RunSummary } from "./api";
import { h, notice, replace, say, select } from "./dom";
import type { Context, Page, Show } from "./page";
import { start_theme, toggle_theme } from "./theme";
import { show_cluster } from "./pages/cluster";
import { show_grid } from "./pages/grid";
import { show_heat } from "./pages/heat";
import { show_plan } from "./pages/plan";
import { show_run } from "./pages/run";
import { show_routing } from "./pages/routing";
import { show_timeline } from "./pages/timeline";

const kPages: { name: string; title: string; show: Show }[] = [
  { name: "run", title: "Run", show: show_run },
  { name: "ranks", title: "Heat map", show: show_heat },
  { name: "timeline", title: "Timeline", show: show_timeline },
  { name: "grid", title: "3D", show: show_grid },
  { name: "plan", title: "Plan", show: show_plan },
  { name: "cluster", title: "Cluster", show: show_cluster },
  { name: "routing", title: "Routing", show: show_routing },
];

const bar = document.getElementById("bar")!;
const root = document.getElementById("page")!;
let runs: RunSummary[] = [];
let current: Page | null = null;

function parse_address(): { run: number; page: string; parameters: URLSearchParams } {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [run = "0", page = "run"] = path.split("/");
  return {
    run: Math.max(0, runs.findIndex((one) => String(one.id) === run)),
    page: kPages.some((one) => one.name === page) ? page : "run",
    parameters: new URLSearchParams(query),
  };
}

function address(run: number, page: string, parameters?: URLSearchParams): string {
  const query = parameters?.toString();
  return `#/${run}/${page}${query ? `?${query}` : ""}`;
}

function show_bar(run: RunSummary, page: string): void {
  const live = run.kind === "trained" && (run.age_seconds ?? Infinity) < 60;
  const state = run.kind === "simulated" ? "simulated" : run.kind === "measured" ? "no metrics" : live ? "live" : run.kind === "empty" ? "empty" : "not writing";
  replace(
    bar,
    h("a.brand", { href: address(run.id, "run") }, "megascale"),
    runs.length > 1
      ? h("label.field.inline", {}, h("span.unseen", {}, "Run"),
          select(runs.map((one) => ({ value: String(one.id), label: one.name })), String(run.id),
            (value) => { location.hash = address(Number(value), page); }))
      : h("span.run", { title: run.path }, run.name),
    h(`span.state.${state.replace(" ", "-")}`, {}, state),
    h("nav", { "aria-label": "Pages" },
      ...kPages.map((one, index) =>
        h("a", { href: address(run.id, one.name), "aria-current": one.name === page ? "page" : undefined,
                 title: `Key ${index + 1}` }, one.title))),
    h("button.plain", { onclick: toggle_theme, title: "Light or dark (key t)", "aria-label": "Light or dark" }, "◐"),
    h("button.plain", { onclick: show_keys, title: "Keys (key ?)", "aria-label": "Keys" }, "?"),
  );
}

function show(): void {
  const { run: index, page, parameters } = parse_address();
  const run = runs[index];
  current?.leave();
  current = null;
  if (!run) return;
  show_bar(run, page);
  const found = kPages.find((one) => one.name === page)!;
  document.title = `${run.name} · ${found.title} · megascale`;
  const context: Context = {
    runs,
    run,
    parameters,
    remember(values) {
      for (const [key, value] of Object.entries(values)) {
        if (value === null) parameters.delete(key);
        else parameters.set(key, value);
      }
      history.replaceState(null, "", address(run.id, page, parameters));
    },
    go(name, values = {}) {
      location.hash = address(run.id, name, new URLSearchParams(values));
    },
  };
  replace(root, h("h1.unseen", {}, `${found.title} of ${run.name}`));
  root.className = `page-${page}`;
  current = found.show(root, context);
  say(`${found.title} of ${run.name}`);
}

function show_keys(): void {
  const keys: [string, string][] = [
    ["1 to 7", "pages"],
    ["arrows", "routing: go from cell to cell"],
    ["t", "light or dark"],
    ["[ and ]", "previous and next run"],
    ["arrows, Enter", "heat map: choose a rank, open it"],
    ["arrows, Page Up, Page Down", "3D: choose a rank"],
    ["w s", "3D: zoom"],
    ["a d, w s", "timeline: move, zoom"],
    ["0", "timeline: the whole step; 3D: the whole grid"],
    ["Esc", "close"],
  ];
  const dialog = h("dialog", { "aria-label": "Keys" },
    h("h2", {}, "Keys"),
    h("dl.keys", {}, ...keys.flatMap(([key, what]) => [h("dt", {}, key), h("dd", {}, what)])),
    h("button", { onclick: () => (dialog as HTMLDialogElement).close() }, "Close")) as HTMLDialogElement;
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function take_key(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
  if (current?.key?.(event)) return event.preventDefault();
  const { run, parameters } = parse_address();
  const here = runs[run];
  const number = Number(event.key);
  if (here && number >= 1 && number <= kPages.length) location.hash = address(here.id, kPages[number - 1].name);
  else if (event.key === "t") toggle_theme();
  else if (event.key === "?") show_keys();
  else if ((event.key === "[" || event.key === "]") && runs.length > 1) {
    const next = (run + (event.key === "]" ? 1 : runs.length - 1)) % runs.length;
    location.hash = address(runs[next].id, parse_address().page, parameters);
  }
}

async function start(): Promise<void> {
  start_theme();
  try {
    runs = (await get<{ runs: RunSummary[] }>("/api/runs")).runs;
  } catch (error) {
    const failure = error as ApiError;
    replace(root, notice(failure.status === 401 ? "No access" : "No connection", failure.message, "error"));
    return;
  }
  addEventListener("hashchange", show);
  addEventListener("keydown", take_key);
  show();
  // The state of the runs: started, ended, resumed.
  setInterval(async () => {
    try {
      const newest = (await get<{ runs: RunSummary[] }>("/api/runs")).runs;
      for (const one of newest) Object.assign(runs.find((run) => run.id === one.id) ?? {}, one);
      const { run, page } = parse_address();
      if (runs[run] && !bar.contains(document.activeElement)) show_bar(runs[run], page);
    } catch {
      const state = bar.querySelector(".state");
      if (state) {
        state.className = "state lost";
        state.textContent = "server gone";
      }
    }
  }, 5000);
}

void start();
