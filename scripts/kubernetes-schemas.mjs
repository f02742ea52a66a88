// Records what the embedded API server knows of its built-in kinds, from the sources of the Kubernetes version that the
// e2e suite builds: their OpenAPI schemas, and the fields of their protobuf messages.
// `node scripts/kubernetes-schemas.mjs [folder]`; default: local/backends/kubernetes/schemas.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { argv } from "node:process";
import { moduleFolder, upstreamSources } from "./servers/kubernetes.mjs";

const folder = argv[2] ?? join(import.meta.dirname, "../local/backends/kubernetes/schemas");

/** Kinds whose objects are served, by the OpenAPI document that has them. */
const kinds = {
  api__v1: ["Namespace", "Pod", "Event", "ReplicationController", "Scale"],
  apis__apps__v1: ["Deployment", "ReplicaSet", "StatefulSet"],
  "apis__apiextensions.k8s.io__v1": ["CustomResourceDefinition"],
};

/** Packages whose types are in other files than types.go. */
const goFiles = { "k8s.io/apimachinery/pkg/types": ["uid.go", "nodename.go"] };

/** Messages with a JSON form of their own: the decoder knows them. */
const special = ["Time", "MicroTime", "Quantity", "IntOrString", "FieldsV1"];

const scalars = ["string", "bool", "int32", "int64"];

/** What clients in Go send as protobuf: objects of the kinds above, parts of them, options, and reviews. */
const messages = {
  "k8s.io/api/core/v1": ["Namespace", "Pod", "Event", "ReplicationController"],
  "k8s.io/api/apps/v1": ["Deployment", "ReplicaSet", "StatefulSet"],
  "k8s.io/api/autoscaling/v1": ["Scale"],
  "k8s.io/api/authorization/v1": ["SelfSubjectAccessReview", "SelfSubjectRulesReview"],
  "k8s.io/api/authentication/v1": ["SelfSubjectReview"],
  "k8s.io/apimachinery/pkg/apis/meta/v1": ["DeleteOptions"],
};

await writeFile(join(folder, "openapi.json"), linesOf(await openApiSchemas()));
await writeFile(join(folder, "protobuf.json"), linesOf(await protobufMessages()));

/** JSON with one member a line, so that a new version of Kubernetes is a diff that can be read. */
function linesOf(members) {
  const names = Object.keys(members).sort();
  return `{\n${names.map((name) => `${JSON.stringify(name)}: ${JSON.stringify(members[name])}`).join(",\n")}\n}\n`;
}

async function openApiSchemas() {
  const sources = await upstreamSources();
  const found = {};
  for (const [name, served] of Object.entries(kinds)) {
    const file = join(sources, "api/openapi-spec/v3", `${name}_openapi.json`);
    const { components } = JSON.parse(await readFile(file, "utf8"));
    const isServed = ({ "x-kubernetes-group-version-kind": of = [] }) =>
      of.some(({ kind }) => served.includes(kind) || served.includes(kind.replace(/List$/, "")));
    const waiting = Object.keys(components.schemas).filter((each) => isServed(components.schemas[each]));
    for (const each of waiting) {
      if (each in found) continue;
      found[each] = withoutTexts(components.schemas[each]);
      waiting.push(...referencesIn(found[each]));
    }
  }
  return found;
}

/** The structure alone: what Kubernetes says of its fields is its documentation's. */
function withoutTexts(value) {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutTexts);
  // A property may be called description, too: in JSONSchemaProps.
  const members = Object.entries(value).filter(
    ([name, member]) => name !== "description" || typeof member !== "string",
  );
  return Object.fromEntries(members.map(([name, member]) => [name, withoutTexts(member)]));
}

function referencesIn(value) {
  if (typeof value !== "object" || value === null) return [];
  // A property may be called $ref, too: in JSONSchemaProps.
  const own = typeof value.$ref === "string" ? [value.$ref.split("/").at(-1)] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}

/** { Deployment: { 1: "metadata ObjectMeta", … }, … } in the words of the Go types; an inlined struct has no name. */
async function protobufMessages() {
  const known = { structs: {}, names: {} };
  const packages = [...Object.keys(messages), "k8s.io/apimachinery/pkg/types"];
  for (const each of packages) {
    const [, module, path] = /^(k8s\.io\/[^/]+)\/(.*)$/.exec(each);
    for (const file of goFiles[each] ?? ["types.go"]) {
      readTypes(await readFile(join(await moduleFolder(module), path, file), "utf8"), known);
    }
  }
  const found = {};
  const waiting = Object.values(messages).flat();
  for (const name of waiting) {
    if (name in found) continue;
    found[name] = {};
    for (const { number, json, type } of known.structs[name] ?? missing(name)) {
      const resolved = resolve(type, known);
      found[name][number] = `${json} ${resolved}`;
      const element = resolved.replace(/^(\*|\[\]|map\[string\])*/, "");
      if (element in known.structs && !special.includes(element)) waiting.push(element);
    }
  }
  return found;
}

function missing(name) {
  throw new Error(`expected a Go struct ${name} among the types of k8s.io/api, found none`);
}

function readTypes(source, { structs, names }) {
  for (const [, name, type] of source.matchAll(/^type (\w+) ([\w.[\]]+)$/gm)) names[name] = type;
  for (const [, name, body] of source.matchAll(/^type (\w+) struct \{\n([^]*?)^\}/gm)) {
    // The same name in two packages (Preconditions): the last is that of meta/v1, which options have.
    structs[name] = [...body.matchAll(/^\t(?:(\w+)\s+)?([\w.*[\]]+)\s+`(.*)`/gm)].flatMap(fieldOf);
  }
}

function fieldOf([, name, type, tags]) {
  const [, number] = /protobuf:"\w+,(\d+),/.exec(tags) ?? [];
  const [, json = "", options = ""] = /json:"([^",]*)([^"]*)"/.exec(tags) ?? [];
  const isInline = options.includes("inline") || name === undefined;
  if (number === undefined || json === "-") return [];
  if (json === "" && !isInline) throw new Error(`expected a JSON name in ${tags}`);
  return [{ number, json, type }];
}

/** `*metav1.LabelSelector` as `*LabelSelector`, and `[]ConditionType` as `[]string`. */
function resolve(type, known) {
  const [, prefix, element] = /^((?:\*|\[\]|map\[[\w.]+\])*)(.+)$/.exec(type);
  const name = element.split(".").at(-1);
  const shape = prefix.replace(/map\[[\w.]+\]/g, "map[string]");
  if (scalars.includes(name) || special.includes(name) || name in known.structs) return shape + name;
  if (name in known.names) return resolve(shape + known.names[name], known);
  throw new Error(`expected the Go type ${type} among those that were read, found none`);
}
