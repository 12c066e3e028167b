// Checks the manifests that `megascale submit --launcher kubernetes --print` writes (on standard input) against the published
// OpenAPI schema of Kubernetes, from which the npm package kubernetes-models is generated: types and required members by its
// validators, the names of members by its type declarations.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const modules = join(process.argv[2], "node_modules");
const problems = [];
let types = 0;

// Returns the members of the type that a file declares: name -> file of the value's type, or null.
const cache = new Map();
function membersOf(file) {
  if (cache.has(file)) return cache.get(file);
  const text = readFileSync(file, "utf8");
  const files = new Map();
  for (const [, names, from] of text.matchAll(/import \{ ([^}]*) \} from "([^"]+)"/g)) {
    const target = from.startsWith(".") ? join(dirname(file), from.replace(/\.js$/, "")) : join(modules, from);
    for (const name of names.split(", ")) files.set(name, `${target}.d.ts`);
  }
  const body = text.match(/^export interface [^{]*\{\n([\s\S]*?)^\}/m);
  const members = new Map();
  for (const [, name, type] of body?.[1].matchAll(/^    "([^"]+)"\??: (.*)$/gm) ?? []) {
    const inner = type.match(/I[A-Z][A-Za-z0-9]+/)?.[0];
    members.set(name, files.get(inner) ?? null);
  }
  types += 1;
  cache.set(file, members);
  return members;
}

function walk(value, file, path) {
  if (Array.isArray(value)) return value.forEach((one, i) => walk(one, file, `${path}[${i}]`));
  if (typeof value !== "object" || !existsSync(file)) return;
  const members = membersOf(file);
  if (members.size === 0) return; // such as a quantity
  for (const [name, inner] of Object.entries(value)) {
    if (!members.has(name)) problems.push(`${path}.${name}: the schema has no such member`);
    else if (members.get(name)) walk(inner, members.get(name), `${path}.${name}`);
  }
}

const documents = readFileSync(0, "utf8").split(/^---$/m).filter((text) => text.trim());
for (const text of documents) {
  const object = JSON.parse(text);
  const file = join(modules, "kubernetes-models", object.apiVersion, object.kind);
  const module = await import(pathToFileURL(`${file}.js`));
  try {
    new module[object.kind](object).validate();
  } catch (error) {
    problems.push(`${object.kind} ${object.metadata.name}: ${error.message}`);
  }
  walk(object, `${file}.d.ts`, object.kind);
}
for (const problem of problems) console.log(problem);
console.log(`${documents.length} objects with ${types} types of the schema, ${problems.length} problems`);
process.exit(problems.length > 0 || documents.length === 0 || types < 3 ? 1 : 0);
