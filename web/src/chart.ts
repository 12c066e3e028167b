// A line chart of uPlot with the look of the dashboard. Charts of one page share the cursor.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { h } from "./dom";
import { colour, on_theme } from "./theme";
import { of_unit } from "./format";

const kFew = 60;

// A vertical line at a step.
export interface Mark {
  step: number;
  kind: "checkpoint" | "incident";
}
export interface Line {
  label: string;
  colour: string; // a custom property, "--series-1"
  dashed?: boolean;
}

// "5.000" is "5" on an axis.
function tidy(text: string): string {
  return text.replace(/(\.\d*?)0+(?=\D|$)/, "$1").replace(/\.(?=\D|$)/, "");
}

// Few values are shown as points too: a line through one value would be seen by nobody.
function has_few(values: ArrayLike<number | null | undefined>): boolean {
  let count = 0;
  for (let i = 0; i < values.length && count < kFew; ++i) if (values[i] != null) ++count;
  return count < kFew;
}

export class Chart {
  readonly element: HTMLElement;
  private readonly box = h("div.plot");
  private plot: uPlot | null = null;
  private data: uPlot.AlignedData = [[]];
  private marks: Mark[] = [];
  private readonly observer = new ResizeObserver(() => this.resize());
  private readonly stop_theme = on_theme(() => {
    if (this.plot) this.draw();
  });

  constructor(
    title: string,
    private readonly unit: string,
    private readonly lines: Line[],
    private readonly log = false,
    meaning = "",
  ) {
    this.element = h("section.chart", { "aria-label": title }, h("h2.title", { title: meaning }, title), this.box);
    this.observer.observe(this.box);
  }

  set(data: uPlot.AlignedData): void {
    this.data = data;
    if (this.plot) this.plot.setData(data);
    else this.draw();
  }

  set_marks(marks: Mark[]): void {
    this.marks = marks;
    this.plot?.redraw(false);
  }

  // Checkpoints are short ticks at the bottom, incidents lines over the whole height.
  private draw_marks(plot: uPlot): void {
    const { ctx: g } = plot;
    const { left, top, width, height } = plot.bbox;
    const ratio = devicePixelRatio || 1;
    g.save();
    g.lineWidth = ratio;
    for (const { step, kind } of this.marks) {
      const x = Math.round(plot.valToPos(step, "x", true)) + 0.5;
      if (x < left || x > left + width) continue;
      g.strokeStyle = colour(kind === "incident" ? "--bad" : "--series-3");
      g.setLineDash(kind === "incident" ? [4 * ratio, 3 * ratio] : []);
      g.beginPath();
      g.moveTo(x, kind === "incident" ? top : top + height - 7 * ratio);
      g.lineTo(x, top + height);
      g.stroke();
    }
    g.restore();
  }

  // Draws the plot again, for instance in other colours.
  draw(): void {
    this.plot?.destroy();
    this.box.replaceChildren();
    if (this.box.clientWidth === 0) return;
    const axis: uPlot.Axis = {
      stroke: colour("--muted"),
      grid: { stroke: colour("--grid"), width: 1 },
      ticks: { stroke: colour("--grid"), width: 1, size: 4 },
      font: "11px system-ui, sans-serif",
      gap: 4,
    };
    this.plot = new uPlot(
      {
        width: this.box.clientWidth,
        height: 190,
        cursor: { sync: { key: "steps" }, points: { size: 6 } },
        legend: { live: true },
        hooks: { draw: [(plot) => this.draw_marks(plot)] },
        scales: { x: { time: false }, y: { distr: this.log ? 3 : 1 } },
        axes: [
          { ...axis, size: 28 },
          { ...axis, size: 62, values: (_, values) => values.map((v) => (v === null ? "" : tidy(of_unit(v, this.unit)))) },
        ],
        series: [
          { label: "step", value: (_: uPlot, value: number | null) => (value === null ? "–" : String(value)) },
          ...this.lines.map((line) => ({
            label: line.label,
            stroke: colour(line.colour),
            width: 1.6,
            dash: line.dashed ? [5, 4] : undefined,
            spanGaps: true,
            points: { show: (plot: uPlot, series: number) => has_few(plot.data[series]), size: 4 },
            value: (_: uPlot, value: number | null) => (value === null ? "–" : of_unit(value, this.unit)),
          })),
        ],
      },
      this.data,
      this.box,
    );
  }

  destroy(): void {
    this.observer.disconnect();
    this.stop_theme();
    this.plot?.destroy();
  }

  private resize(): void {
    if (!this.plot) this.draw();
    else if (this.box.clientWidth > 0 && this.box.clientWidth !== this.plot.width)
      this.plot.setSize({ width: this.box.clientWidth, height: 190 });
  }
}
