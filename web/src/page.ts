// What the pages share.
import type { RunSummary } from "./api";

// The state of the whole dashboard, which the router hands to a page.
export interface Context {
  runs: RunSummary[];
  run: RunSummary;
  parameters: URLSearchParams; // after the "?" of the address
  // Changes the parameters in the address without showing the page anew.
  remember(values: Record<string, string | null>): void;
  go(page: string, parameters?: Record<string, string>): void;
}

export interface Page {
  // Called when another page is shown.
  leave(): void;
  // Called for keys that the router does not use. Returns whether the page used it.
  key?(event: KeyboardEvent): boolean;
}

export type Show = (root: HTMLElement, context: Context) => Page;
