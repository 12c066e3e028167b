// Numbers as people read them.

const kPrefixes: [number, string][] = [
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

export function short(value: number, digits = 3): string {
  const size = Math.abs(value);
  for (const [factor, prefix] of kPrefixes)
    if (size >= factor) return `${trim(value / factor, digits)} ${prefix}`;
  if (size !== 0 && size < 1e-3) return value.toExponential(digits - 1);
  return trim(value, digits);
}

// A whole number, in full up to five digits.
export function count(value: number): string {
  return Math.abs(value) < 1e5 ? value.toFixed(0) : short(value, 4);
}

function trim(value: number, digits: number): string {
  const size = Math.abs(value);
  const decimals = size >= 1 ? Math.max(0, digits - 1 - Math.floor(Math.log10(size))) : digits;
  return value.toFixed(Math.min(decimals, 6));
}

export function seconds(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0 s";
  if (size < 1e-6) return `${trim(value * 1e9, 3)} ns`;
  if (size < 1e-3) return `${trim(value * 1e6, 3)} µs`;
  if (size < 1) return `${trim(value * 1e3, 3)} ms`;
  if (size < 120) return `${trim(value, 3)} s`;
  return duration(value);
}

// "3 h 12 min": two units.
export function duration(value: number): string {
  const units: [number, string][] = [
    [86400, "d"],
    [3600, "h"],
    [60, "min"],
    [1, "s"],
  ];
  const parts: string[] = [];
  let rest = Math.round(value);
  for (const [size, unit] of units) {
    if (rest >= size || (parts.length && parts.length < 2)) {
      parts.push(`${Math.floor(rest / size)} ${unit}`);
      rest %= size;
    }
    if (parts.length === 2) break;
  }
  return parts.join(" ") || "0 s";
}

export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value.toFixed(0) : trim(value, 3)} ${units[unit]}`;
}

export function percent(share: number, decimals = 1): string {
  return `${(100 * share).toFixed(decimals)} %`;
}

export function of_unit(value: number, unit: string): string {
  switch (unit) {
    case "seconds":
      return seconds(value);
    case "ratio":
      return percent(value);
    case "bytes":
      return bytes(value);
    default:
      return short(value, 4) + (unit && unit !== "nats" ? ` ${unit}` : "");
  }
}
