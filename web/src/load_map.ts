// A map of loads: one cell for each row and column, coloured by how much it differs from the mean of its row.
// The mouse or the arrow keys choose a cell, whose numbers are told below.
import { heat_scale, kFullExcess } from "./colours";
import { h, replace } from "./dom";
import { count } from "./format";
import { colour, on_theme } from "./theme";

const kLabels = 74, kMostRow = 22, kLeastRow = 4, kMostHeight = 520, kAxis = 18; // pixels
const kFullLoad = 1; // as much more than the mean, or as much less, has the strongest colour

export interface Loads {
  rows: { label: string; values: (number | null)[]; mean: number }[];
  columns: string[];
  row_name: string; // "layer"
  column_name: string;
}

export class LoadMap {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly readout = h("div.readout");
  private loads: Loads = { rows: [], columns: [], row_name: "", column_name: "" };
  private row = 0;
  private column = 0;
  private readonly observer = new ResizeObserver(() => this.draw());
  private readonly stop_theme = on_theme(() => this.draw());

  // `on_row`: called with the row that Enter or a click chooses.
  constructor(name: string, private readonly on_row: (row: number) => void = () => {}) {
    this.canvas = h("canvas", { tabindex: 0, role: "application", "aria-label": `${name}. Arrow keys choose a cell.` }) as HTMLCanvasElement;
    this.element = h("div.map", {}, this.canvas, this.readout);
    this.observer.observe(this.element);
    this.canvas.addEventListener("mousemove", (event) => this.choose_at(event));
    this.canvas.addEventListener("click", (event) => {
      this.choose_at(event);
      this.on_row(this.row);
    });
    this.canvas.addEventListener("keydown", (event) => this.take_key(event));
    for (const kind of ["focus", "blur"]) this.canvas.addEventListener(kind, () => this.draw());
  }

  set(loads: Loads): void {
    this.loads = loads;
    this.choose(this.row, this.column);
  }

  destroy(): void {
    this.observer.disconnect();
    this.stop_theme();
  }

  private choose(row: number, column: number): void {
    this.row = Math.max(0, Math.min(this.loads.rows.length - 1, row));
    this.column = Math.max(0, Math.min(this.loads.columns.length - 1, column));
    const line = this.loads.rows[this.row], value = line?.values[this.column];
    replace(this.readout, line ? h("span", {}, `${this.loads.row_name} ${line.label}, ${this.loads.column_name} ${this.loads.columns[this.column]}: `,
      value === null || value === undefined ? "not known" : `${count(value)} tokens, ${line.mean > 0 ? (value / line.mean).toFixed(2) : "–"} times the mean`) : null);
    this.draw();
  }

  private choose_at(event: MouseEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const [width, height] = this.cell();
    if (event.clientX - box.left < kLabels) return;
    this.choose(Math.floor((event.clientY - box.top) / height), Math.floor((event.clientX - box.left - kLabels) / width));
  }

  private take_key(event: KeyboardEvent): void {
    const ways: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const way = ways[event.key];
    if (way) this.choose(this.row + way[0], this.column + way[1]);
    else if (event.key === "Enter") this.on_row(this.row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private cell(): [number, number] {
    const { rows, columns } = this.loads;
    const width = (this.element.clientWidth - 22 - kLabels) / Math.max(1, columns.length);
    return [width, Math.max(kLeastRow, Math.min(kMostRow, kMostHeight / Math.max(1, rows.length)))];
  }

  private draw(): void {
    const { rows, columns } = this.loads;
    const [width, height] = this.cell();
    if (rows.length === 0 || width <= 0) return;
    const ratio = devicePixelRatio || 1, whole = kLabels + width * columns.length, tall = rows.length * height + kAxis;
    this.canvas.width = Math.ceil(whole * ratio);
    this.canvas.height = Math.ceil(tall * ratio);
    this.canvas.style.width = `${whole}px`;
    this.canvas.style.height = `${tall}px`;
    const g = this.canvas.getContext("2d")!, shade = heat_scale();
    g.scale(ratio, ratio);
    g.font = "11px system-ui, sans-serif";
    g.textBaseline = "middle";
    const gap = width > 5 && height > 5 ? 1 : 0;
    const each = Math.max(1, Math.ceil(14 / height)), across = Math.max(1, Math.ceil(46 / width));
    rows.forEach((row, r) => {
      row.values.forEach((value, c) => {
        g.fillStyle = value === null ? colour("--track") : shade(kFullExcess / kFullLoad * (row.mean > 0 ? value / row.mean - 1 : 0)).css;
        g.fillRect(kLabels + c * width, r * height, width - gap, height - gap);
      });
      g.fillStyle = colour("--muted");
      g.textAlign = "right";
      if (r % each === 0) g.fillText(`${this.loads.row_name} ${row.label}`, kLabels - 6, (r + 0.5) * height);
    });
    g.textAlign = "left";
    columns.forEach((label, c) => { if (c % across === 0) g.fillText(label, kLabels + c * width, tall - kAxis / 2 + 2); });
    if (document.activeElement !== this.canvas) return;
    g.strokeStyle = colour("--text");
    g.lineWidth = 2;
    g.strokeRect(kLabels + this.column * width, this.row * height, Math.max(2, width - gap), height - gap);
  }
}
