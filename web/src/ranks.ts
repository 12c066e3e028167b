// Used by all pages about ranks: a rank's value beside the median of its peers.
import { get, type Column, type JobSize, type Place, type RankAnswer, type RankRow, type RankTable, type RunSummary } from "./api";
import { h } from "./dom";

export const kCauses = { compute: "computes slowly", input: "waits for data", launch: "starts transfers late", wire: "slow wire" };

// Ranks are numbered tensor first, then context, data and pipeline.
export function place_of(rank: number, { tensor, context, data }: Pick<JobSize, "tensor" | "context" | "data">): Place {
  return {
    tensor: rank % tensor,
    context: Math.floor(rank / tensor) % context,
    data: Math.floor(rank / (tensor * context)) % data,
    pipeline: Math.floor(rank / (tensor * context * data)),
  };
}

// The ranks of a stage are divided a second time, for experts: expert tensor first, then expert.
export function expert_of(rank: number, job: JobSize): number {
  const in_stage = rank % (job.tensor * job.context * job.data);
  return Math.floor(in_stage / job.expert_tensor) % job.expert;
}

// The ranks that share the experts of a layer with this one, itself included.
export function expert_group(rank: number, job: JobSize): number[] {
  return Array.from({ length: job.expert }, (_, i) => rank + (i - expert_of(rank, job)) * job.expert_tensor);
}

// "experts 4-7" of each layer, which a rank holds.
export function experts_text(rank: number, job: JobSize): string {
  const each = job.experts / job.expert, first = expert_of(rank, job) * each;
  return each === 1 ? `expert ${first}` : `experts ${first}-${first + each - 1}`;
}

// The numbers of all ranks: means over the last steps. Only the named columns have values.
export async function get_ranks(run: RunSummary, steps: number | string, columns: string): Promise<RankTable> {
  const { rank, host, work, hosts, ...rest } = await get<RankAnswer>(`/api/runs/${run.id}/ranks?steps=${steps}&columns=${encodeURIComponent(columns)}`);
  const size = run.job ?? { tensor: 1, context: 1, data: 1 };
  return { ...rest, ranks: rank.map((one, i): RankRow => ({ rank: one, host: hosts[host[i]], work: work[i], at: place_of(one, size) })) };
}

export function reading_note({ ranks, all }: NonNullable<RankTable["reading"]>): HTMLElement {
  return h("div.muted", {}, `Records of ${ranks.toLocaleString("en")} of ${all.toLocaleString("en")} ranks are read so far; the others follow.`);
}

export interface Cell {
  row: RankRow;
  value: number;
  excess: number; // relative to the median of its peers
}

export function lower_median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

// Peers are the ranks with the same work.
export function cells_of(table: RankTable, column: Column): Cell[] {
  const peers = new Map<number, number[]>();
  table.ranks.forEach((row, i) => {
    const list = peers.get(row.work);
    if (list) list.push(column.values[i]);
    else peers.set(row.work, [column.values[i]]);
  });
  const medians = new Map([...peers].map(([work, values]) => [work, lower_median(values)]));
  return table.ranks.map((row, i) => {
    const median = medians.get(row.work)!;
    const value = column.values[i];
    return { row, value, excess: column.unit === "ratio" ? median - value : median > 0 ? value / median - 1 : 0 };
  });
}

export function place_text({ data, tensor, context, pipeline }: Place): string {
  return `data ${data} · tensor ${tensor}${context ? ` · context ${context}` : ""} · stage ${pipeline}`;
}

// "data 192 · tensor 8 · pipeline 8": the axes that divide the job.
export function layout_text(job: JobSize): string {
  const axes = (["data", "tensor", "context", "pipeline"] as const).filter((axis) => job[axis] > 1);
  const all = [...axes.map((axis) => `${axis} ${job[axis]}`), ...(job.expert > 1 ? [`expert ${job.expert}`] : [])];
  return all.join(" · ") || "one rank does all";
}

export function where(row: RankRow): string {
  return `${row.host || "host unknown"} · ${place_text(row.at)}`;
}

// "0-3, 8, 10-11"; a regular list "0, 8, 16 … 1528 (192)".
export function rank_list(ranks: number[], most = 6): string {
  const parts: string[] = [];
  for (let i = 0; i < ranks.length; ) {
    let last = i;
    while (last + 1 < ranks.length && ranks[last + 1] === ranks[last] + 1) ++last;
    parts.push(last === i ? String(ranks[i]) : `${ranks[i]}${last === i + 1 ? ", " : "-"}${ranks[last]}`);
    i = last + 1;
  }
  if (parts.length <= most) return parts.join(", ");
  return `${parts.slice(0, 3).join(", ")} … ${parts.at(-1)} (${ranks.length})`;
}
