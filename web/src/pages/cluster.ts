// The cluster: what the driver of the job has recorded. Hosts, where the time went, incidents, attempts.
// With a driver given to the server, hosts can be evicted, after a question.
import { ApiError, get, post, type Job } from "../api";
import { h, notice, replace, say } from "../dom";
import { duration, percent } from "../format";
import type { Context, Page } from "../page";
import { tile, Tiles } from "../tiles";

const kBuckets: Record<string, string> = {
  stepping: "new steps",
  checkpoint_stall: "waiting for checkpoints",
  detection: "detecting faults",
  checks: "self-checks",
  restart: "starting and loading",
  repeated: "repeating lost steps",
  idle: "waiting",
};
const kGoodStates = ["member", "spare"];

type Host = Job["status"]["hosts"][number];

export function show_cluster(root: HTMLElement, context: Context): Page {
  const body = h("div");
  const tiles = new Tiles("Where the job stands");
  root.append(body);
  let left = false;
  let timer = 0;
  let shown = ""; // the answer that the page shows
  let said = ""; // the end of the last eviction

  function table(name: string, heads: string[], rows: HTMLElement[]): HTMLElement {
    return h("div.scroll", { tabindex: 0, role: "region", "aria-label": name },
      h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((text) => h("th", {}, text)))), h("tbody", {}, ...rows)));
  }
  function row(...cells: (string | HTMLElement)[]): HTMLElement {
    return h("tr", {}, ...cells.map((cell) => (typeof cell === "string" ? h("td", {}, cell) : cell.tagName === "TD" ? cell : h("td", {}, cell))));
  }

  function ask(host: string): void {
    const why = h("input", { size: 44, maxlength: 400, placeholder: "for the job's record" }) as HTMLInputElement;
    const message = h("p.failure", { role: "alert", hidden: true });
    const yes = h("button.danger", {}, `Evict ${host}`) as HTMLButtonElement;
    const dialog = h("dialog", { "aria-label": `Evict ${host}` },
      h("h2", {}, `Evict ${host}?`),
      h("p", {}, "The host gets no ranks of this job any more. If it has ranks now, the job goes back to its newest checkpoint and continues on other hosts."),
      h("p.muted", {}, "megascale evict HOST --allow takes this back."),
      h("label.field", {}, h("span", {}, "Reason"), why), message,
      h("div.choices", {}, h("button", { onclick: () => dialog.close() }, "Cancel"), yes)) as HTMLDialogElement;
    yes.addEventListener("click", () => {
      yes.disabled = true;
      void post(`/api/runs/${context.run.id}/evict`, { host, why: why.value }).then(() => {
        said = `The driver was told to evict ${host}.`;
        say(said);
        shown = "";
        dialog.close();
        void load();
      }).catch((error: ApiError) => {
        message.hidden = false;
        message.textContent = error.message;
        yes.disabled = false;
      });
    });
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }

  function host_row(one: Host, job: Job): HTMLElement {
    const [state, ...why] = one.state.split(": ");
    const incidents = job.incidents.filter((incident) => incident.host === one.host).length;
    return row(h("td", {}, h("strong", {}, one.host), job.status.driver_host === one.host ? h("span.muted", {}, " driver") : null),
      h("span", {}, h(`span.state.${kGoodStates.includes(state) ? "live" : "lost"}`, {}, state), why.length ? ` ${why.join(": ")}` : null),
      String(one.cores || "–"), String(incidents),
      ...(job.can_evict ? [state !== "blocked" ? h("button", { onclick: () => ask(one.host) }, "Evict …") : ""] : []));
  }

  function show_tiles(job: Job): void {
    const { status } = job;
    const ended = status.exit_code === undefined ? "" : status.exit_code === 0 ? "ended" : "failed";
    const state = ended || (status.driver_lives ? status.phase : "driver is gone");
    const detail = ended === "failed" ? `exit code ${status.exit_code}` : !ended && !status.driver_lives ? `last seen ${duration(status.silent_seconds)} ago` : `attempt ${status.attempt}`;
    const members = status.hosts.filter((one) => one.state === "member").length;
    tiles.show([
      tile("State", state, detail),
      tile("Effective training", percent(status.effective), `of ${duration(status.seconds.wall)}`),
      tile("Steps", status.steps_done.toLocaleString("en"), status.checkpoint !== undefined ? `checkpoint at ${status.checkpoint.toLocaleString("en")}` : "no checkpoint yet"),
      tile("Incidents", String(job.incidents.length), `${job.incidents.filter((one) => one.open).length} open`),
      tile("Hosts", String(status.hosts.length), `${members} with ranks`),
    ]);
  }

  function times(job: Job): HTMLElement[] {
    const { seconds, effective } = job.status;
    const bar = h("div.bar.tall", { role: "img", "aria-label": `effective training ${percent(effective)}` });
    Object.keys(kBuckets).forEach((name, i) => {
      const part = h(`span.memory-${i}`, { title: `${kBuckets[name]}: ${duration(seconds[name] ?? 0)}` });
      part.style.width = `${(100 * (seconds[name] ?? 0)) / (seconds.wall || 1)}%`;
      bar.append(part);
    });
    return [h("h2", {}, "Where the time went"), bar,
      h("div.legend", {}, ...Object.entries(kBuckets).map(([name, text], i) => h("span", {}, h(`i.memory-${i}`), `${text} ${duration(seconds[name] ?? 0)}`)))];
  }

  function show(job: Job): void {
    show_tiles(job);
    replace(body, tiles.element,
      job.status.end ? notice("The job has failed", job.status.end, "error") : null,
      said ? h("p.fine", {}, said) : null,
      ...times(job),
      h("h2", {}, "Hosts"),
      table("Hosts", job.can_evict ? ["Host", "State", "Cores", "Incidents", "Order"] : ["Host", "State", "Cores", "Incidents"], job.status.hosts.map((one) => host_row(one, job))),
      job.can_evict ? null : h("p.muted", {}, "To evict hosts from this page, give megascale serve the options --driver and --operator-cert."),
      h("h2", {}, "Incidents"),
      job.incidents.length === 0 ? h("p.fine", {}, "None so far.")
        : table("Incidents", ["Number", "What", "Rule", "Host", "Step", "Evidence", "Action", "Outcome"], job.incidents.slice().reverse().map((one) =>
            row(String(one.number), one.what, h("code", {}, one.rule), one.host, one.step >= 0 ? String(one.step) : "–", h("td.long", {}, one.evidence), one.action,
              one.open ? "open" : `${one.outcome}${one.seconds !== undefined ? ` (${duration(one.seconds)})` : ""}`))),
      h("h2", {}, "Attempts"),
      table("Attempts", ["Number", "Resumed at step", "Steps done", "Outcome"], job.attempts.slice().reverse().map((one) =>
        row(String(one.number), one.resumed_step >= 0 ? String(one.resumed_step) : "–", one.steps_done >= 0 ? String(one.steps_done) : "–", one.runs ? "runs" : one.outcome))));
  }

  async function load(): Promise<void> {
    window.clearTimeout(timer);
    try {
      const job = await get<Job>(`/api/runs/${context.run.id}/job`);
      const text = JSON.stringify(job);
      // Nothing is replaced under the focus of somebody who reads or clicks, unless there is news.
      if (!left && text !== shown && !(body.contains(document.activeElement) && shown !== "" && same_but_times(shown, text))) {
        shown = text;
        show(job);
      }
    } catch (error) {
      const failure = error as ApiError;
      shown = "";
      if (!left) replace(body, notice(failure.status === 404 ? "No driver" : "The record cannot be read", failure.message, failure.status === 404 ? "empty" : "error"));
    }
    if (!left) timer = window.setTimeout(() => void load(), 3000);
  }
  void load();
  return {
    leave() {
      left = true;
      window.clearTimeout(timer);
      tiles.destroy();
    },
  };
}

// Whether two answers differ in growing numbers only.
function same_but_times(a: string, b: string): boolean {
  const facts = (text: string): string => {
    const job = JSON.parse(text) as Job;
    const { phase, driver_lives, attempt, hosts } = job.status;
    return JSON.stringify([phase, driver_lives, attempt, hosts, job.incidents, job.attempts]);
  };
  return facts(a) === facts(b);
}
