// Tokenizer files of published vocabularies and of small ones that are trained here, with functions of other programs that
// encode texts with them.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { verses } from "./corpus.mjs";

// A list of {name, file, encode, unlike, change}: `file` is what open_tokenizer() takes, `encode` returns the ids of a list of texts,
// `measured` returns a function that encodes one text, as fast as the other program can; `change` names a change that the texts
// need before both programs encode them ("line" or "words", see below);
// `unlike` is a class of characters that the other program treats unlike Hugging Face's own tokenizers.
export async function vocabularies(modules, folder) {
  const require = createRequire(join(modules, "package.json"));
  const native = require("tokenizers"), tiktoken = require("tiktoken");
  const javascript = await import(join(modules, "node_modules/@huggingface/tokenizers/dist/tokenizers.mjs"));
  const options = { addSpecialTokens: false };

  const byNative = (file) => async (texts) => {
    const tokenizer = native.Tokenizer.fromFile(file);
    const ids = [];
    for (let at = 0; at < texts.length; at += 1000)
      for (const encoding of await tokenizer.encodeBatch(texts.slice(at, at + 1000), options)) ids.push(encoding.getIds());
    return ids;
  };
  const oneByNative = (file) => () => {
    const tokenizer = native.Tokenizer.fromFile(file);
    return (text) => tokenizer.encode(text, null, options);
  };
  const byJavascript = (file) => (texts) => {
    const tokenizer = new javascript.Tokenizer(JSON.parse(readFileSync(file, "utf8")), {});
    return texts.map((text) => tokenizer.encode(text, { add_special_tokens: false }).ids);
  };
  const published = (name) => join(modules, `node_modules/@lenml/tokenizer-${name}/models/tokenizer.json`);
  const list = [];
  for (const name of ["gpt2", "llama3", "qwen2_5", "deepseek_v3", "gemma"])
    list.push({ name: `${name} tokenizers`, file: published(name), encode: byNative(published(name)), measured: oneByNative(published(name)) });
  // In GPT-2's pattern the package uses JavaScript's white space, which has U+FEFF and lacks U+0085.
  const unlike = { gpt2: "[\\x{85}\\x{feff}]", llama3: "" };
  for (const name of ["gpt2", "llama3"])
    list.push({ name: `${name} @huggingface/tokenizers`, file: published(name), encode: byJavascript(published(name)), unlike: unlike[name] });
  for (const name of ["gpt2", "cl100k_base", "o200k_base"]) {
    const file = join(folder, `${name}.tiktoken`);
    writeFileSync(file, rankFile(require(`tiktoken/encoders/${name}.json`).bpe_ranks));
    const encode = (texts) => {
      const encoder = tiktoken.get_encoding(name);
      return texts.map((text) => encoder.encode_ordinary(text));
    };
    const measured = () => {
      const encoder = tiktoken.get_encoding(name);
      return (text) => encoder.encode_ordinary(text);
    };
    list.push({ name: `${name} tiktoken`, file, encode, measured });
  }
  for (const file of trained(native, folder)) list.push({ name: `${file.split("/").pop()} tokenizers`, file, encode: byNative(file), measured: oneByNative(file) });
  list.push(...bySentencePiece(folder));
  return list;
}

// Changes of texts. SentencePiece's programs read lines, and take U+2581 for a space. A tokenizer.json with their Unigram
// model also treats spaces at the ends, several spaces and their names of control tokens ("<s>") in another way.
// compare.cpp makes the same changes.
const changes = {
  line: (text) => text.replace(/[\n\r\0\u2581]/g, " "),
  words: (text) => changes.line(text).replace(/</g, "").replace(/ {2,}/g, " ").replace(/^ | $/g, ""),
};

// Trains models with SentencePiece's own programs (Debian: sentencepiece), and writes the Unigram model also as a
// tokenizer.json.
function bySentencePiece(folder) {
  const encode = (model, change) => (texts) =>
    execFileSync("spm_encode", [`--model=${model}`, "--output_format=id"], { input: texts.map((text) => changes[change](text) + "\n").join(""), maxBuffer: 1 << 30 })
      .toString().split("\n").slice(0, texts.length).map((ids) => (ids ? ids.split(" ").map(Number) : []));
  const list = [];
  for (const type of ["unigram", "bpe"]) {
    const prefix = join(folder, `spm_${type}`), file = `${prefix}.model`;
    execFileSync("spm_train", [`--input=${join(folder, "train.txt")}`, `--model_prefix=${prefix}`, `--model_type=${type}`, "--vocab_size=2000", "--byte_fallback",
      "--character_coverage=1.0", "--normalization_rule_name=identity", "--remove_extra_whitespaces=false"], { stdio: "ignore" });
    list.push({ name: `spm_${type}.model spm_encode`, file, encode: encode(file, "line"), change: "line" });
  }
  // "PIECE TAB SCORE" lines; byte pieces and the first three have scores that are not used.
  const vocab = readFileSync(join(folder, "spm_unigram.vocab"), "utf8").split("\n").filter((each) => each).map((each) => {
    const [piece, score] = each.split("\t");
    return [piece, /^<0x..>$|^<\/?s>$|^<unk>$/.test(piece) ? -1000 : Number(score)];
  });
  const space = { type: "Metaspace", replacement: "▁", prepend_scheme: "always", split: true };
  writeFileSync(join(folder, "spm_unigram.json"), JSON.stringify({ added_tokens: [], normalizer: null, pre_tokenizer: space, decoder: space,
    model: { type: "Unigram", unk_id: 0, byte_fallback: true, vocab } }));
  list.push({ name: "spm_unigram.json spm_encode", file: join(folder, "spm_unigram.json"), encode: encode(list[0].file, "words"), unlike: "^$", change: "words" });
  return list;
}

// Trains byte-level BPE on a file.
export function trainByteLevel(modules, text, file) {
  const native = createRequire(join(modules, "package.json"))("tokenizers");
  const tokenizer = new native.Tokenizer(native.BPE.empty());
  tokenizer.setPreTokenizer(native.byteLevelPreTokenizer(false, true));
  tokenizer.train([text]);
  tokenizer.save(file);
}

// The package's form, lines of "! FIRST_ID TOKEN TOKEN ...", as a rank file.
function rankFile(text) {
  return text.split("\n").filter((line) => line).map((line) => {
    const [, first, ...tokens] = line.split(" ");
    return tokens.map((token, i) => `${token} ${Number(first) + i}\n`).join("");
  }).join("");
}

// Trains SentencePiece-like tokenizers on a part of the King James text: BPE with byte fallback as Llama 2 and Mistral have it,
// and Unigram with and without byte fallback.
function trained(native, folder) {
  const text = join(folder, "train.txt");
  writeFileSync(text, verses().filter((_, i) => i % 10 == 0).join("\n"));
  const train = (model, name) => {
    const tokenizer = new native.Tokenizer(model);
    tokenizer.setPreTokenizer(native.metaspacePreTokenizer());
    tokenizer.setDecoder(native.metaspaceDecoder());
    tokenizer.train([text]);
    const file = join(folder, `${name}.json`);
    tokenizer.save(file);
    return JSON.parse(readFileSync(file, "utf8"));
  };
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
  const write = (name, value) => {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(value));
    return file;
  };
  const special = (content, id, more = {}) => ({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true, ...more });

  const bpe = train(native.BPE.empty(), "bpe");
  const vocab = Object.fromEntries(["<unk>", "<s>", "</s>", ...bytes].map((token, id) => [token, id]));
  for (const token of Object.keys(bpe.model.vocab).sort((a, b) => bpe.model.vocab[a] - bpe.model.vocab[b])) vocab[token] = Object.keys(vocab).length;
  Object.assign(bpe.model, { vocab, byte_fallback: true, fuse_unk: true, unk_token: "<unk>" });
  bpe.added_tokens = [special("<unk>", 0), special("<s>", 1), special("</s>", 2)];
  const llama = { ...bpe, pre_tokenizer: null,
    normalizer: { type: "Sequence", normalizers: [{ type: "Prepend", prepend: "▁" }, { type: "Replace", pattern: { String: " " }, content: "▁" }] },
    decoder: { type: "Sequence", decoders: [{ type: "Replace", pattern: { String: "▁" }, content: " " }, { type: "ByteFallback" }, { type: "Fuse" }, { type: "Strip", content: " ", start: 1, stop: 0 }] } };
  const mistral = { ...bpe, pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "first", split: false } };
  const noBytes = { ...mistral, model: { ...bpe.model, byte_fallback: false },
    added_tokens: [special("<unk>", 0), special("</s>", 2, { lstrip: true, rstrip: true }), special("the", vocab["the"], { single_word: true, special: false })] };

  const unigram = train(native.Unigram.empty(), "unigram");
  const normalizers = [{ type: "NFKC" }, { type: "Replace", pattern: { Regex: " {2,}" }, content: " " }];
  unigram.normalizer = { type: "Sequence", normalizers };
  const scores = unigram.model.vocab;
  unigram.model = { type: "Unigram", unk_id: 0, byte_fallback: false, vocab: [["<unk>", 0], ["</s>", 0], ...scores] };
  unigram.added_tokens = [special("</s>", 1)];
  const fallback = { ...unigram, normalizer: null,
    model: { ...unigram.model, byte_fallback: true, vocab: [["<unk>", 0], ["</s>", 0], ...bytes.map((token) => [token, -100]), ...scores] } };
  return [write("llama2", llama), write("mistral", mistral), write("no_bytes", noBytes), write("unigram", unigram), write("unigram_fallback", fallback)];
}
