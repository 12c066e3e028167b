// Small helpers to make elements.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | EventListener | undefined>;

// h("button.primary", { onclick: f, title: "..." }, "text")
export function h(tag: string, attributes: Attributes = {}, ...children: Child[]): HTMLElement {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

export function replace(parent: Element, ...children: Child[]): void {
  parent.replaceChildren(...(children.filter(Boolean) as (Node | string)[]));
}

// A labelled control.
export function field(label: string, control: HTMLElement): HTMLElement {
  return h("label.field", {}, h("span", {}, label), control);
}

export function select(
  options: { value: string; label: string; group?: string }[],
  value: string,
  onchange: (value: string) => void,
): HTMLSelectElement {
  const element = h("select", {
    onchange: () => onchange(element.value),
  }) as HTMLSelectElement;
  let group: HTMLElement | null = null;
  for (const option of options) {
    const item = h("option", { value: option.value, selected: option.value === value }, option.label);
    if (!option.group) {
      element.append(item);
      continue;
    }
    if (group?.getAttribute("label") !== option.group) {
      group = h("optgroup", { label: option.group });
      element.append(group);
    }
    group.append(item);
  }
  return element;
}

// What a page shows if there is nothing to show: what is missing, and what to do.
export function notice(title: string, text: string, kind: "empty" | "error" = "empty"): HTMLElement {
  return h(`div.notice.${kind}`, { role: kind === "error" ? "alert" : "status" }, h("h2", {}, title), h("p", {}, text));
}

// Tells a screen reader.
export function say(text: string): void {
  const live = document.getElementById("live");
  if (live) live.textContent = text;
}
