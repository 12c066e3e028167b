// Light and dark: the system's choice until the user makes another one.

const kKey = "megascale-theme";
const listeners = new Set<() => void>();

export function start_theme(): void {
  const stored = localStorage.getItem(kKey);
  if (stored) document.documentElement.dataset.theme = stored;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
}

export function is_dark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function toggle_theme(): void {
  const next = is_dark() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem(kKey, next);
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}

// Canvases are drawn again when colours change. Returns a function that ends this.
export function on_theme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// The parts of a colour such as "#dde1e7", 0 to 255.
export function rgb_of(hex: string): number[] {
  return hex.match(/[0-9a-f]{2}/gi)!.map((two) => Number.parseInt(two, 16));
}

// The value of a custom property of style.css, "--text".
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
