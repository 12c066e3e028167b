// The JSON API of megascale serve (docs/observability.md).

export interface JobSize {
  world_size: number;
  tensor: number;
  context: number;
  data: number;
  pipeline: number;
  expert_tensor: number;
  expert: number; // ranks that divide the experts
  experts: number; // of a layer; 0: none are routed
  train_iters: number;
  tokens_per_step: number;
  parameters: number;
}
export interface RunSummary {
  id: number;
  name: string;
  path: string;
  kind: "trained" | "measured" | "simulated" | "empty";
  has_job: boolean;
  newest: Record<string, number>;
  age_seconds?: number;
  job?: JobSize;
  problem?: string;
}
export interface MetricKind {
  name: string;
  unit: string;
  meaning: string;
}
export type Columns = Record<string, (number | null)[]>;
export interface Metrics {
  generation: number;
  rows: number;
  checkpoints: number[]; // steps; absent in a stream
  columns: Columns;
}
export interface Place {
  tensor: number;
  context: number;
  data: number;
  pipeline: number;
}
export interface RankRow {
  rank: number;
  host: string;
  work: number;
  at: Place;
}
export interface Column {
  key: string;
  group: string;
  label: string;
  unit: "seconds" | "ratio";
  values: number[]; // empty if they were not asked for
  median?: number[];
}
export interface Straggler {
  cause: "compute" | "input" | "launch" | "wire";
  ranks: number[];
  seconds: number;
  usual_seconds: number;
  votes: number;
  steps: number;
  text: string;
}
interface RankFindings {
  steps: number[];
  columns: Column[];
  problems: { rank: number; text: string }[];
  stragglers: Straggler[];
  reading?: { ranks: number; all: number }; // records of so many ranks are read so far
}
// One entry for each rank that has numbers.
export interface RankAnswer extends RankFindings {
  rank: number[];
  host: number[]; // index in hosts
  work: number[];
  hosts: string[];
}
export interface RankTable extends RankFindings {
  ranks: RankRow[];
}
export interface WorstTask {
  task: number;
  name: string;
  cause: "compute" | "exposed_comm" | "bubble" | "data_wait";
  seconds: number; // of the compute lane
}
export interface RankSteps {
  rank: number;
  host: string;
  at: Place;
  peers: number;
  steps: number[];
  columns: Column[];
  worst: { step: number; tasks: WorstTask[] }[];
}
export interface Lane {
  lane: string;
  id: number[];
  head: number[];
  start: number[];
  matched: number[];
  end: number[];
  awaited: number[];
  group?: string[];
}
export interface TimelineRank {
  rank: number;
  host: string;
  plan: string;
  begin: number;
  end: number;
  lanes: Lane[];
  idle: { cause: "exposed_comm" | "bubble" | "data_wait"; from: number; to: number; culprit: number }[];
}
export interface Timeline {
  step: number;
  end: number;
  peak_flops?: number; // of a rank, as MFU counts it
  plans: Record<string, { ops: string[]; name: string[]; op: number[]; flops: number[]; bytes: number[] }>;
  ranks: TimelineRank[];
}
export interface PeerGroup {
  key: string;
  name: string;
  axes: string[];
  lane: string;
  direction: "both" | "sends" | "receives" | "none";
  size: number;
  transfers: number;
  sent_bytes: number;
  received_bytes: number;
  members?: number[];
  moving_seconds?: number;
}
export interface Peers {
  rank: number;
  at: Place;
  groups: PeerGroup[];
  times_of?: number;
}
export interface Hang {
  watching?: boolean;
  hangs?: boolean;
  suspects?: { rank: number; reason: string; process: string; process_id: number; host: string; waiting: number[]; step?: number; lane?: string; task?: string }[];
  waiting?: { rank: number; step: number; lane: string; task: string; awaited: number[] }[];
  moving?: number[];
}
export interface Plan {
  world_size: number;
  model_flops: number;
  executed_flops: number;
  stages: {
    stage: number;
    first_rank: number;
    ranks: number;
    tasks: number;
    arena_bytes: number;
    memory: Record<string, number>;
  }[];
}
type ByLayer = (number | null)[][]; // by step, then by layer
export interface Routing {
  layers: number[];
  step: number[];
  imbalance: ByLayer; // busiest expert to the mean
  rank_imbalance: ByLayer;
  dropped: ByLayer;
  aux_loss: ByLayer;
  z_loss: ByLayer;
  dropped_share: (number | null)[]; // by step, of all choices
  imbalance_share: (number | null)[]; // by step, of the step's time
  loads: { step: number; loads: (number | null)[][] }[]; // of some steps, by layer and expert
}
// Entry i holds from time[i] until the next one.
export interface MemoryOverTime {
  rank: number;
  step: number;
  arena_bytes: number;
  end: number; // ns from the begin of the step, as `time`
  time: number[];
  bytes: Record<string, number[]>; // by category
}
export interface Job {
  status: {
    phase: string;
    driver_lives: boolean;
    driver_host: string;
    silent_seconds: number;
    attempt: number;
    steps_done: number;
    checkpoint?: number;
    exit_code?: number;
    end?: string;
    hosts: { host: string; cores: number; state: string }[];
    seconds: Record<string, number>;
    effective: number;
  };
  can_evict: boolean;
  incidents: {
    number: number;
    attempt: number;
    rule: string;
    host: string;
    rank: number;
    step: number;
    what: string;
    evidence: string;
    action: string;
    outcome: string;
    open: boolean;
    seconds?: number;
  }[];
  attempts: { number: number; resumed_step: number; steps_done: number; runs: boolean; outcome: string }[];
}

// An answer that is no success. `status` 0: the server cannot be reached.
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export function get<T>(path: string): Promise<T> {
  return ask<T>(path, {});
}

// For requests that change something.
export function post<T>(path: string, body: object): Promise<T> {
  return ask<T>(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
}

async function ask<T>(path: string, how: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, how);
  } catch {
    throw new ApiError(0, "The server does not answer. Is megascale serve still running?");
  }
  if (response.ok) return (await response.json()) as T;
  const text = await response.text();
  let message = text;
  try {
    message = (JSON.parse(text) as { error: string }).error;
  } catch {
    // not JSON: shown as it is
  }
  throw new ApiError(response.status, message);
}
