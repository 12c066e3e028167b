// Encodes the same texts with npm's tokenizers (Hugging Face's Rust code), npm's tiktoken and ours, in one sitting on one core:
//     node bench/tokenizers/peers.mjs MEASURE MODULES FOLDER
// MEASURE is the program measure_tokenizer, MODULES the folder of the packages that tests/data/tokenizers/compare installed,
// FOLDER a folder for files. Prints megabytes per second of processor time: of the first pass over the texts (which fills the
// caches of words), and of the best of three passes after it.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { codeLines, corpus, verses } from "../../tests/data/tokenizers/corpus.mjs";
import { vocabularies } from "../../tests/data/tokenizers/vocabularies.mjs";

process.env.TOKENIZERS_PARALLELISM = "false";
process.env.RAYON_NUM_THREADS = "1";
const [measure, modules, folder] = process.argv.slice(2).map((path) => resolve(path));
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
mkdirSync(folder, { recursive: true });

// Documents of about eight kilobytes.
function documents(lines) {
  const list = [];
  let text = "";
  for (const line of lines) {
    text += line + "\n";
    if (text.length < 8192) continue;
    list.push(text);
    text = "";
  }
  return list;
}
const texts = {
  english: documents(verses()),
  code: documents(codeLines(join(root, "src"))),
  mixed: documents(corpus(18000, root).map((line) => new TextDecoder().decode(line))),
};
const list = await vocabularies(modules, folder);
for (const [kind, documentsOfKind] of Object.entries(texts)) {
  const buffers = documentsOfKind.map((text) => Buffer.from(text));
  const file = join(folder, `${kind}.bin`);
  writeFileSync(file, Buffer.concat(buffers.flatMap((b) => [Buffer.from(Uint32Array.of(b.length).buffer), b])));
  const megabytes = buffers.reduce((sum, b) => sum + b.length, 0) / 1e6;
  for (const { name, file: tokenizer, measured } of list) {
    if (!measured) continue;
    const encode = measured();
    const rates = [];
    for (let pass = 0; pass < 4; ++pass) {
      const begin = process.cpuUsage();
      for (const text of documentsOfKind) await encode(text);
      const spent = process.cpuUsage(begin);
      rates.push(megabytes / ((spent.user + spent.system) * 1e-6));
    }
    const ours = JSON.parse(execFileSync(measure, [tokenizer, file]));
    const best = Math.max(...rates);
    console.log(`${kind} (${megabytes.toFixed(1)} MB), ${name}: first ${rates[0].toFixed(2)}, best ${best.toFixed(2)} MB/s; ` +
      `megascale: first ${ours.first.toFixed(2)}, best ${ours.best.toFixed(2)} MB/s, ${(ours.tokens_per_second / 1e6).toFixed(2)} M tokens/s: ` +
      `${(ours.first / rates[0]).toFixed(1)} and ${(ours.best / best).toFixed(1)} times`);
  }
}
