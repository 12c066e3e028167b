// Where the ranks of a job lie in space: data (and context) to the right, tensor up, stages to the back.
import type { JobSize, Place } from "./api";
import { place_of } from "./ranks";

export type Vector = [number, number, number];

const kGap = 0.28; // share of a cell's place that stays free
const kLeastShare: Vector = [0.2, 0.24, 0.42]; // of the longest side, so that a long grid does not become a line
const kMostPlace = 14;

export class GridLayout {
  readonly counts: Vector; // cells along the three directions
  readonly place: Vector; // size of a cell with its gap
  readonly cell: Vector; // without
  readonly world: number;
  readonly middles: Float32Array; // of the cells, three numbers a rank; the grid's middle is the origin, stage 0 is in front

  constructor(readonly job: Pick<JobSize, "tensor" | "context" | "data" | "pipeline">) {
    this.counts = [job.data * job.context, job.tensor, job.pipeline];
    this.world = this.counts[0] * this.counts[1] * this.counts[2];
    const longest = Math.max(...this.counts);
    this.place = this.counts.map((count, i) => (count === 1 ? 1 : Math.max(1, Math.min(kMostPlace, (kLeastShare[i] * longest) / count)))) as Vector;
    this.cell = this.place.map((size) => size * (1 - kGap)) as Vector;
    this.middles = new Float32Array(3 * this.world);
    for (let rank = 0; rank < this.world; ++rank) {
      const [x, y, z] = this.cell_of(rank);
      this.middles[3 * rank] = (x - (this.counts[0] - 1) / 2) * this.place[0];
      this.middles[3 * rank + 1] = (y - (this.counts[1] - 1) / 2) * this.place[1];
      this.middles[3 * rank + 2] = ((this.counts[2] - 1) / 2 - z) * this.place[2];
    }
  }

  at(rank: number): Place {
    return place_of(rank, this.job);
  }

  // Cell numbers along the three directions.
  cell_of(rank: number): Vector {
    const { tensor, context, data, pipeline } = this.at(rank);
    return [data * this.job.context + context, tensor, pipeline];
  }

  rank_at([x, y, z]: Vector): number {
    const { tensor } = this.job;
    return y + tensor * (x + this.counts[0] * z);
  }

  position(rank: number): Vector {
    return [this.middles[3 * rank], this.middles[3 * rank + 1], this.middles[3 * rank + 2]];
  }

  // Half of the size of the whole grid.
  get half(): Vector {
    return this.counts.map((count, i) => (count * this.place[i]) / 2) as Vector;
  }

  // The neighbour of a rank in one direction; the rank itself at the border.
  neighbour(rank: number, direction: 0 | 1 | 2, step: number): number {
    const cell = this.cell_of(rank);
    cell[direction] = Math.max(0, Math.min(this.counts[direction] - 1, cell[direction] + step));
    return this.rank_at(cell);
  }
}
