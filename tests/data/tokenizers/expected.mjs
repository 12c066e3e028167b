// Writes texts, and the ids that other programs give them: node expected.mjs LINES MODULES FOLDER.
// FOLDER/corpus.bin has for each text its bytes, FOLDER/N.ids its ids as int32, both after a uint32 with their number.
// FOLDER/kjv.txt is the King James text, FOLDER/kjv.json a byte-level BPE that Hugging Face's trainer made of it.
// FOLDER/list has for each N a line "N.ids TAB tokenizer's file TAB name TAB characters to leave out TAB change of the texts". Bytes that are not UTF-8 are U+FFFD to other programs.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { corpus, verses } from "./corpus.mjs";
import { trainByteLevel, vocabularies } from "./vocabularies.mjs";

const [lines, modules, folder] = process.argv.slice(2);
const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
mkdirSync(folder, { recursive: true });
const counted = (buffer, count) => {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(count);
  return [head, buffer];
};
const buffers = corpus(Number(lines), root);
writeFileSync(join(folder, "corpus.bin"), Buffer.concat(buffers.flatMap((b) => counted(b, b.length))));
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const texts = buffers.map((buffer) => decoder.decode(buffer));
const list = [];
for (const [i, { name, file, encode, unlike, change }] of (await vocabularies(modules, folder)).entries()) {
  const ids = (await encode(texts)).map((each) => Int32Array.from(each));
  writeFileSync(join(folder, `${i}.ids`), Buffer.concat(ids.flatMap((each) => counted(Buffer.from(each.buffer), each.length))));
  list.push(`${i}.ids\t${file}\t${name}\t${unlike ?? ""}\t${change ?? ""}\n`);
}
writeFileSync(join(folder, "list"), list.join(""));
writeFileSync(join(folder, "kjv.txt"), verses().map((verse) => verse + "\n").join(""));
trainByteLevel(modules, join(folder, "kjv.txt"), join(folder, "kjv.json"));
