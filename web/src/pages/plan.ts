// The plan: layout of the job, and exact memory by category for each pipeline stage.
import { ApiError, get, type Plan } from "../api";
import { h, notice, replace } from "../dom";
import { bytes, short } from "../format";
import type { Context, Page } from "../page";
import { layout_text } from "../ranks";
import { tile, Tiles } from "../tiles";
import { show_comparison } from "./comparison";
import { show_memory } from "./memory";

export function show_plan(root: HTMLElement, context: Context): Page {
  const body = h("div");
  const tiles = new Tiles("The job");
  root.append(body);
  void (async () => {
    try {
      const plan = await get<Plan>(`/api/runs/${context.run.id}/plan`);
      const most = Math.max(...plan.stages.map((stage) => stage.arena_bytes));
      const categories = Object.keys(plan.stages[0].memory).filter((name) => plan.stages.some((stage) => stage.memory[name] > 0));
      const job = context.run.job;
      tiles.show([
        tile("Ranks", String(plan.world_size), job ? layout_text(job) : ""),
        tile("Parameters", job ? short(job.parameters) : "–"),
        tile("FLOPs a step", short(plan.model_flops), `${short(plan.executed_flops)} executed`),
        tile("Largest arena", bytes(most), "planned, exact"),
      ]);
      replace(body,
        tiles.element,
        h("h2", {}, "Memory of a rank, by stage"),
        h("div.legend", {}, ...categories.map((name, i) => h("span", {}, h(`i.memory-${i}`), name.replace("_", " ")))),
        ...plan.stages.map((stage) => {
          const line = h("div.memory", {}, h("span.name", {}, `stage ${stage.stage}`), h("span.muted", {}, `${stage.ranks} ranks from ${stage.first_rank}, ${short(stage.tasks)} tasks`));
          const bar = h("div.bar", { role: "img", "aria-label": `stage ${stage.stage}: ${bytes(stage.arena_bytes)}` });
          categories.forEach((name, i) => {
            const part = h(`span.memory-${i}`, { title: `${name}: ${bytes(stage.memory[name])}` });
            part.style.width = `${(100 * stage.memory[name]) / most}%`;
            bar.append(part);
          });
          line.append(bar, h("span", {}, bytes(stage.arena_bytes)));
          return line;
        }),
        h("h2", {}, "Bytes"),
        h("div.scroll", { tabindex: 0, role: "region", "aria-label": "Bytes by stage" }, h("table", {},
          h("thead", {}, h("tr", {}, h("th", {}, "Category"), ...plan.stages.map((stage) => h("th", {}, `stage ${stage.stage}`)))),
          h("tbody", {}, ...categories.map((name) => h("tr", {}, h("td", {}, name.replace("_", " ")), ...plan.stages.map((stage) => h("td", {}, bytes(stage.memory[name])))))))));
      show_memory(body, context, plan, categories);
      show_comparison(body, context);
    } catch (error) {
      replace(body, notice("The plan cannot be made", (error as ApiError).message, "error"));
    }
  })();
  return { leave: () => tiles.destroy() };
}
