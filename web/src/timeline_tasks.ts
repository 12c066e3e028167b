// Questions about the tasks of a timeline: what a task waited for, what waited for it, how fast it was.
import type { Lane, Timeline } from "./api";
import { bytes, percent, short } from "./format";

export interface Picked {
  rank: number; // index in timeline.ranks
  lane: Lane;
  index: number; // in the lane
}

export function start_of(task: Picked): number {
  return task.lane.start[task.index];
}

// The first task of a lane that ends after `ns`.
export function first_after(lane: Lane, ns: number): number {
  let low = 0, high = lane.end.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lane.end[middle] > ns) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Finds a task of a rank by its id.
export function find_task(data: Timeline, rank: number, id: number): Picked | null {
  for (const lane of data.ranks[rank].lanes) {
    const index = lane.id.indexOf(id);
    if (index >= 0) return { rank, lane, index };
  }
  return null;
}

// The tasks of other shown ranks that are the same transfer: the n-th of the same group.
export function partners_of(data: Timeline, task: Picked): Picked[] {
  const group = task.lane.group?.[task.index];
  if (!group) return [];
  let number = 0;
  for (let i = 0; i < task.index; ++i) if (task.lane.group![i] === group) ++number;
  const found: Picked[] = [];
  data.ranks.forEach((rank, r) => {
    if (r === task.rank) return;
    for (const lane of rank.lanes) {
      let seen = 0;
      const index = lane.group?.findIndex((one) => one === group && seen++ === number) ?? -1;
      if (index >= 0) found.push({ rank: r, lane, index });
    }
  });
  return found;
}

// The tasks of the same rank that waited for this one last.
export function followers_of(data: Timeline, task: Picked): Picked[] {
  const id = task.lane.id[task.index];
  const found: Picked[] = [];
  for (const lane of data.ranks[task.rank].lanes)
    lane.awaited.forEach((one, index) => { if (one === id) found.push({ rank: task.rank, lane, index }); });
  return found;
}

// The partner that has started last, for which the others wait.
export function last_of(tasks: Picked[]): Picked {
  return tasks.reduce((last, task) => (start_of(task) > start_of(last) ? task : last));
}

// Bytes, FLOPs and rates, beside a roof: the peak that MFU counts, or the fastest like it in this step.
export function rates_of(data: Timeline, { rank, lane, index }: Picked): [string, string][] {
  const plan = data.plans[data.ranks[rank].plan];
  const id = lane.id[index];
  const spent = (i: number): number => (lane.end[i] - (lane.group ? lane.matched[i] : lane.start[i])) * 1e-9;
  const took = spent(index);
  const list: [string, string][] = [];
  if (took <= 0) return list;
  let best = 0; // rate of the fastest task of the same kind on this lane
  const amount = plan.flops[id] > 0 ? plan.flops : plan.bytes;
  lane.id.forEach((other, i) => {
    if (plan.op[other] === plan.op[id] && spent(i) > 0) best = Math.max(best, amount[other] / spent(i));
  });
  const beside = `${percent(amount[id] / took / (best || 1), 0)} of the fastest ${plan.ops[plan.op[id]]} here`;
  const peak = data.peak_flops;
  if (plan.flops[id] > 0)
    list.push(["FLOPs", `${short(plan.flops[id])}FLOP, ${short(plan.flops[id] / took)}FLOP/s: ${peak ? `${percent(plan.flops[id] / took / peak)} of the peak, ` : ""}${beside}`]);
  if (plan.bytes[id] > 0)
    list.push([lane.group ? "Bytes moved" : "Bytes of operands", `${bytes(plan.bytes[id])}, ${bytes(plan.bytes[id] / took)}/s${plan.flops[id] > 0 ? "" : `: ${beside}`}`]);
  return list;
}
