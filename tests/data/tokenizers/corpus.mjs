// Lines of text that tokenizers find hard, the same ones on every machine.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

// A small generator of random numbers (mulberry32).
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// The King James text of Debian's package bible-kjv, a verse a line.
export function verses() {
  const text = execFileSync("bible", ["-f", "gen1:1-rev22:21"], { maxBuffer: 1 << 26 }).toString();
  return text.split("\n").filter((line) => line).map((line) => line.replace(/^[0-9]?[A-Za-z]+[0-9]+:[0-9]+ /, ""));
}

// The lines of the sources below a folder.
export function codeLines(root) {
  const lines = [];
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(cpp|h|cu|md|toml)$/.test(entry.name)) continue;
    lines.push(...readFileSync(join(entry.path, entry.name), "utf8").split("\n"));
  }
  return lines;
}

// Returns `count` buffers. Some are not UTF-8.
export function corpus(count, root) {
  const next = random(20261123);
  const below = (n) => Math.floor(next() * n);
  const pick = (list) => list[below(list.length)];
  const repeat = (low, high, make) => Array.from({ length: low + below(high - low + 1) }, make).join("");
  const inRange = (low, high) => String.fromCodePoint(low + below(high - low + 1));
  const english = verses(), code = codeLines(join(root, "src"));
  const words = english.join(" ").split(" ");
  const spaces = [" ", " ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", "\r", " \n", "\n ", "\u00a0", "\u3000", "\u2028", "\u0085", "\u180e", "\u200b", "\ufeff", "\v", "\f", "\u1680"];
  const emoji = ["👍", "👍🏽", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "🇫🇷🇯🇵", "❤️", "1️⃣", "🧑🏿‍🚀", "😀", "🤷‍♀️", "👁️‍🗨️"];
  const marks = () => repeat(1, 3, () => inRange(0x300, 0x36f));
  const contractions = ["'s", "'S", "'t", "'re", "'RE", "'ve", "'m", "'ll", "'LL", "'d", "’s", "'\u017f", "''s", "'x"];
  const cjk = () => repeat(1, 12, () => pick([() => inRange(0x4e00, 0x9fa5), () => inRange(0x3040, 0x3096), () => inRange(0x30a1, 0x30fa), () => inRange(0xac00, 0xd7a3), () => inRange(0x20000, 0x2a6d6), () => pick([..."。、！？「」（）　ー々〇"])])());
  const arabic = () => repeat(1, 9, () => pick([() => inRange(0x621, 0x64a), () => inRange(0x621, 0x64a), () => inRange(0x64b, 0x652), () => inRange(0x660, 0x669), () => pick([..."،؛؟ـ"])])());
  const other = () => repeat(1, 9, () => pick([() => inRange(0x400, 0x4ff), () => inRange(0x370, 0x3ff), () => inRange(0x900, 0x97f), () => inRange(0xe01, 0xe5b), () => inRange(0x5d0, 0x5ea), () => inRange(0x1c4, 0x1cc), () => inRange(0x1e00, 0x1fff), () => inRange(0x1d400, 0x1d7ff), () => inRange(0xff01, 0xffdc), () => inRange(0x2150, 0x218b), () => inRange(0xfb00, 0xfb4f)])());
  const point = () => {
    for (;;) {
      const value = pick([() => below(0x250), () => below(0x10000), () => below(0x20000), () => 0x1f000 + below(0x1000), () => below(0x110000)])();
      if (value < 0xd800 || value > 0xdfff) return String.fromCodePoint(value);
    }
  };
  const word = () => pick([() => pick(words), () => pick(words).toUpperCase(), () => pick(words) + pick(contractions), () => String(below(10 ** (1 + below(12)))), () => repeat(1, 6, () => pick([..."!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"])), cjk, arabic, other, () => pick(emoji), () => pick([..."aeioun"]) + marks(), () => pick(words)[0]?.toUpperCase() + pick(words)])();
  const mixed = () => repeat(1, 12, () => word() + pick(spaces));
  const kinds = [
    () => pick(english),
    () => pick(english) + pick(spaces) + pick(english),
    () => repeat(1, 5, () => pick(code) + "\n"),
    () => repeat(1, 8, () => cjk() + pick(["", "", " ", "\n", "。\n"])),
    () => repeat(1, 8, () => arabic() + pick([" ", " ", "\n", "، "])),
    () => repeat(1, 8, () => other() + pick(spaces)),
    () => repeat(1, 6, () => pick(emoji) + pick(["", " ", "!", "a"])),
    () => repeat(1, 20, () => pick([() => inRange(0, 0x1f), () => inRange(0x7f, 0x9f), () => pick(words)])()),
    () => repeat(1, 10, () => pick(words) + marks() + pick(spaces)),
    mixed, mixed, mixed,
    () => repeat(1, 15, () => pick(spaces) + pick(["", "", "x", ".", "1", "'s"])),
    () => repeat(1, 30, point),
    () => repeat(1, 10, () => pick(["<|endoftext|>", "<|end", "</s>", "<s>", "<unk>", "<0x0A>", "▁", "Ġ", "<|im_start|>", "<eos>", " "]) + pick(["", " ", "a"])),
    () => pick([..."aA1 .é中😀\n"]).repeat(1 + below(300)),
    () => {  // UTF-8 with a few bytes replaced, dropped or doubled
      const bytes = [...Buffer.from(mixed())];
      for (let i = 1 + below(4); i > 0; --i) bytes.splice(below(bytes.length), below(2), below(256));
      return Buffer.from(bytes);
    },
    () => Buffer.from(Array.from({ length: 1 + below(40) }, () => below(256))),
  ];
  return Array.from({ length: count }, (_, i) => Buffer.from(kinds[i % kinds.length]()));
}
