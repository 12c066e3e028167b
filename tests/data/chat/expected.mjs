// Writes conversations, and the texts that the published chat templates make of them: node expected.mjs MODULES FILE.
// A line of FILE is {"template": NAME, "line": TEXT, "text": TEXT or null}; null: the template refuses the conversation.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [modules, file] = process.argv.slice(2);
const { Template } = createRequire(join(modules, "package.json"))("@huggingface/jinja");

const alternate = "roles must alternate";
// The parts of chat_template in published files of the models that render text and no tools: chatml as OLMo and SmolLM have it,
// Meta-Llama-3-8B-Instruct, Mistral-7B-Instruct-v0.2, gemma-3-4b-it.
const templates = {
  "chatml": { text: "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}{% endfor %}" },
  "llama-3": {
    bos_token: "<|begin_of_text|>",
    text: "{% set loop_messages = messages %}{% for message in loop_messages %}{% set content = '<|start_header_id|>' + message['role'] + "
      + "'<|end_header_id|>\n\n' + message['content'] | trim + '<|eot_id|>' %}{% if loop.index0 == 0 %}"
      + "{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}",
  },
  "mistral": {
    bos_token: "<s>", eos_token: "</s>",
    text: "{%- if messages[0]['role'] == 'system' %}{%- set system_message = messages[0]['content'] %}"
      + "{%- set loop_messages = messages[1:] %}{%- else %}{%- set loop_messages = messages %}{%- endif %}{{- bos_token }}"
      + "{%- for message in loop_messages %}{%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
      + "{{- raise_exception(alternate) }}{%- endif %}{%- if message['role'] == 'user' %}"
      + "{%- if loop.first and system_message is defined %}"
      + "{{- ' [INST] ' + system_message + '\n\n' + message['content'] + ' [/INST]' }}"
      + "{%- else %}{{- ' [INST] ' + message['content'] + ' [/INST]' }}{%- endif %}"
      + "{%- elif message['role'] == 'assistant' %}{{- ' ' + message['content'] + eos_token }}"
      + "{%- else %}{{- raise_exception(alternate) }}{%- endif %}{%- endfor %}",
  },
  "gemma": {
    bos_token: "<bos>",
    text: "{{ bos_token }}{%- if messages[0]['role'] == 'system' -%}{%- set first_user_prefix = messages[0]['content'] + '\n\n' -%}"
      + "{%- set loop_messages = messages[1:] -%}{%- else -%}{%- set first_user_prefix = '' -%}{%- set loop_messages = messages -%}"
      + "{%- endif -%}{%- for message in loop_messages -%}{%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}"
      + "{{ raise_exception(alternate) }}{%- endif -%}{%- if (message['role'] == 'assistant') -%}{%- set role = 'model' -%}"
      + "{%- else -%}{%- set role = message['role'] -%}{%- endif -%}"
      + "{{ '<start_of_turn>' + role + '\n' + (first_user_prefix if loop.first else '') }}{{ message['content'] | trim }}"
      + "{{ '<end_of_turn>\n' }}{%- endfor -%}",
  },
};

// Numbers in [0, n), from a linear congruential generator (Numerical Recipes, 7.1): the same in every run.
let state = 20240607;
const below = (n) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
};
const pick = (list) => list[below(list.length)];
const pieces = ["Hello", "how are you?", " ", "\n", "\t", "  two  ", "é", "日本語", "😀", "{{ x }}", "{% if %}", "[INST]", "<|im_end|>", "</s>",
  "\\n", "\"quoted\"", "'", "a\r\nb", "\u00a0", "<b>", "1 + 1 = 2", "user\n", "\u200b"];
const content = () => "x" + Array.from({ length: below(5) }, () => pick(pieces)).join("");
const padded = () => pick(["", " ", "\n\n", "\t"]) + content() + pick(["", " ", "\n", "  \n"]);
// Gemma's template writes a system message in the place of an answer; ours refuses it, so none is made there.
const roles = ["user", "assistant"];
const conversation = () => {
  const messages = below(3) === 0 ? [{ role: "system", content: padded() }] : [];
  const turns = 2 * (1 + below(3)) - (below(4) === 0 ? 1 : 0);
  for (let i = 0; i < turns; ++i) messages.push({ role: i % 2 === 0 ? "user" : "assistant", content: padded() });
  if (below(4) === 0) messages[below(messages.length)].role = pick(roles);  // may break the alternation
  if (!messages.some((message) => message.role === "assistant")) messages.push({ role: "assistant", content: padded() });
  return messages;
};

const lines = [];
for (let i = 0; i < 400; ++i) {
  const messages = conversation();
  for (const [template, { text, ...tokens }] of Object.entries(templates)) {
    let rendered = null;
    try {
      rendered = new Template(text).render({ messages, ...tokens, alternate });
    } catch (error) {
      if (!error.message.includes(alternate)) throw error;
    }
    lines.push(JSON.stringify({ template, line: JSON.stringify({ messages }), text: rendered }) + "\n");
  }
}
writeFileSync(file, lines.join(""));
