// Colours of values and of op kinds.
import { is_dark, rgb_of } from "./theme";

export const kFullExcess = 0.2; // a fifth more or less has the strongest colour

type Rgb = [number, number, number];
const kFast: Rgb = [37, 99, 201], kSlow: Rgb = [204, 62, 28];
const kMiddleLight: Rgb = [226, 229, 235], kMiddleDark: Rgb = [58, 64, 75];

interface Shade {
  css: string;
  rgb: Rgb;
  is_light: boolean;
}
const kShades = 64; // on either side of the middle: more than an eye tells apart

// The colours of the theme as it is now. Blue: less than the peers; grey: as they; red: more. Made once for a
// picture, since thousands of ranks share few shades.
export function heat_scale(): (excess: number) => Shade {
  const middle = is_dark() ? kMiddleDark : kMiddleLight;
  const shades = Array.from({ length: 2 * kShades + 1 }, (_, i): Shade => {
    const at = i / kShades - 1;
    const end = at < 0 ? kFast : kSlow;
    const [r, g, b] = middle.map((from, part) => Math.round(from + (end[part] - from) * Math.abs(at) ** 0.8)) as Rgb;
    return { css: `rgb(${r} ${g} ${b})`, rgb: [r, g, b], is_light: 0.299 * r + 0.587 * g + 0.114 * b > 140 };
  });
  return (excess) => shades[Math.round((1 + Math.max(-1, Math.min(1, excess / kFullExcess))) * kShades)];
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
// Of groups without an order.
export function group_colour(index: number): Rgb {
  return rgb_of(op_colour(index)) as Rgb;
}
export const kIdleColours = { exposed_comm: "--idle-exposed", bubble: "--idle-bubble", data_wait: "--idle-data" } as const;
