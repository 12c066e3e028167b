// A row of tiles: a label, a value and a detail each. If they do not fit side by side, the rows have about
// equally many, so that no tile stands alone.
import { h, replace } from "./dom";

const kLeastWidth = 168, kGap = 10; // pixels; kGap as in style.css

export function tile(label: string, value: string, detail = ""): HTMLElement {
  return h("div.tile", {}, h("span.label", {}, label), h("span.value", { title: value }, value), h("span.detail", { title: detail }, detail));
}

export function columns_for(count: number, width: number): number {
  const most = Math.max(1, Math.floor((width + kGap) / (kLeastWidth + kGap)));
  return Math.max(1, Math.ceil(count / Math.ceil(count / most)));
}

// Its element, whose tiles show() replaces. destroy() must be called at the end.
export class Tiles {
  readonly element: HTMLElement;
  private readonly observer = new ResizeObserver(() => this.arrange());

  constructor(name: string) {
    this.element = h("div.tiles", { role: "group", "aria-label": name });
    this.observer.observe(this.element);
  }

  show(tiles: HTMLElement[]): void {
    replace(this.element, ...tiles);
    this.arrange();
  }

  destroy(): void {
    this.observer.disconnect();
  }

  private arrange(): void {
    this.element.style.gridTemplateColumns = `repeat(${columns_for(this.element.childElementCount, this.element.clientWidth)}, minmax(0, 1fr))`;
  }
}
