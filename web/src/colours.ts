// Colours of values and of op kinds.
import { is_dark } from "./theme";

export const kFullExcess = 0.2; // a fifth more or less has the strongest colour

type Rgb = [number, number, number];
const kFast: Rgb = [37, 99, 201], kSlow: Rgb = [204, 62, 28];
const kMiddleLight: Rgb = [226, 229, 235], kMiddleDark: Rgb = [58, 64, 75];

// Blue: less than the peers; grey: as they; red: more.
export function heat_colour(excess: number): { css: string; rgb: Rgb; is_light: boolean } {
  const middle = is_dark() ? kMiddleDark : kMiddleLight;
  const end = excess < 0 ? kFast : kSlow;
  const share = Math.min(1, Math.abs(excess) / kFullExcess) ** 0.8;
  const [r, g, b] = middle.map((from, i) => Math.round(from + (end[i] - from) * share));
  return { css: `rgb(${r} ${g} ${b})`, rgb: [r, g, b], is_light: 0.299 * r + 0.587 * g + 0.114 * b > 140 };
}

// From least (0) to most (1): blue, green, yellow.
const kScale: Rgb[] = [[44, 62, 140], [33, 118, 152], [46, 160, 122], [150, 190, 70], [240, 205, 60]];
export function scale_colour(share: number): Rgb {
  const at = Math.max(0, Math.min(1, share)) * (kScale.length - 1);
  const low = Math.min(kScale.length - 2, Math.floor(at));
  return kScale[low].map((from, i) => from + (kScale[low + 1][i] - from) * (at - low)) as Rgb;
}

export type State = "usual" | "slow" | "stuck" | "waits" | "unknown";
const kStateColours: Record<State, Rgb> = { usual: [92, 128, 178], slow: [224, 130, 36], stuck: [214, 40, 40], waits: [216, 178, 70], unknown: [148, 156, 170] };
export function state_colour(state: State): Rgb {
  return kStateColours[state];
}

const kOps = ["#4c7fd6", "#3f9e7b", "#c98a2b", "#8f66c4", "#c2587f", "#4aa3b5", "#8a9a3b", "#b5643c", "#6d78a8", "#7d9b6a"];
export function op_colour(index: number): string {
  return kOps[index % kOps.length];
}
export const kIdleColours = { exposed_comm: "--idle-exposed", bubble: "--idle-bubble", data_wait: "--idle-data" } as const;
