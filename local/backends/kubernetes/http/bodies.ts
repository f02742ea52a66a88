import type { IncomingMessage } from "node:http";
import type { DocumentOptions, ParseOptions, SchemaOptions } from "yaml";
import { isMap, isScalar, isSeq, parseDocument } from "yaml";
import { aliasProblem } from "../../../../lib/k8s/yaml-aliases";
import { decodeProtobuf } from "../schemas/decode-protobuf";
import { recorded } from "../schemas/schemas";
import { StatusError, badRequest, unsupportedMediaType } from "../resources/status";

/** Undefined: the client sent nothing. */
export interface RequestBody {
  readonly value: unknown;
  /** Fields that the body has twice: "spec.replicas". The last one counts. */
  readonly duplicates: () => readonly string[];
}

const mediaTypes = {
  json: "application/json",
  yaml: "application/yaml",
  protobuf: "application/vnd.kubernetes.protobuf",
};

/** The real server's limit. */
const maxBodyBytes = 3 * 1024 * 1024;
/** The deepest of the served kinds, a definition's schema aside, is less than 20 deep. */
const maxDepth = 500;

export function mediaTypeOf({ headers }: IncomingMessage): string {
  return (headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
}

/** @throws 400, 413; 415 unless JSON, YAML or, for built-in kinds, protobuf */
export async function readRequestBody(request: IncomingMessage, custom = false): Promise<RequestBody> {
  const content = await readContent(request);
  if (content.length === 0) return { value: undefined, duplicates: () => [] };
  const mediaType = mediaTypeOf(request);
  if (mediaType === mediaTypes.json || mediaType === "") return parseJson(content);
  if (mediaType === mediaTypes.yaml) return parseYaml(content);
  if (mediaType === mediaTypes.protobuf && !custom) {
    return { value: decodeProtobuf(content, (await recorded()).messages), duplicates: () => [] };
  }
  const { json, yaml, protobuf } = mediaTypes;
  throw unsupportedMediaType(custom ? [json, yaml] : [json, yaml, protobuf]);
}

/** JSON; YAML for an apply. */
export async function readPatch(request: IncomingMessage): Promise<RequestBody> {
  const content = await readContent(request);
  if (content.length === 0) return { value: undefined, duplicates: () => [] };
  return mediaTypeOf(request).endsWith("+yaml") ? parseYaml(content) : parseJson(content);
}

async function readContent(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) {
      throw new StatusError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${maxBodyBytes}`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(content: Buffer): RequestBody {
  const text = content.toString("utf8");
  requireFlat(text);
  try {
    return { value: JSON.parse(text) as unknown, duplicates: () => duplicatesIn(text) };
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : ""}`);
  }
}

/** YAML 1.1 would make dates of texts. */
const foreignTags = ["timestamp", "binary", "omap", "pairs", "set"].map((tag) => `tag:yaml.org,2002:${tag}`);

const yaml11: ParseOptions & DocumentOptions & SchemaOptions = {
  version: "1.1",
  uniqueKeys: false,
  customTags: (tags) => tags.filter((tag) => typeof tag === "string" || !foreignTags.includes(tag.tag)),
};

/** YAML 1.1, as Kubernetes reads it. The parser refuses aliases that multiply. */
function parseYaml(content: Buffer): RequestBody {
  const text = content.toString("utf8");
  requireFlat(text);
  const tooMany = aliasProblem(text);
  if (tooMany !== undefined) throw badRequest(`error converting YAML to JSON: yaml: ${tooMany}`);
  const document = parseDocument(text, yaml11);
  const [problem] = document.errors;
  if (problem !== undefined) throw badRequest(`error converting YAML to JSON: yaml: ${problem.message}`);
  try {
    // An alias of itself or .nan has no JSON form, so it could not be served.
    const value = JSON.parse(JSON.stringify(document.toJS()) ?? "null") as unknown;
    return { value, duplicates: () => duplicatesIn(text) };
  } catch (error) {
    throw badRequest(`error converting YAML to JSON: yaml: ${error instanceof Error ? error.message : ""}`);
  }
}

/** Each level takes a bracket, or a column before the first word of a line. @throws 400 */
function requireFlat(text: string): void {
  let [depth, column, quoted, atStart] = [0, 0, false, true];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "\n") [column, atStart, quoted] = [0, true, false];
    else if (atStart && " -?:".includes(character)) column += 1;
    else {
      atStart = false;
      if (quoted && character === "\\") at += 1;
      else if (character === '"') quoted = !quoted;
      else if (!quoted && "[{".includes(character)) depth += 1;
      else if (!quoted && "]}".includes(character)) depth -= 1;
    }
    if (depth > maxDepth || column > maxDepth)
      throw badRequest(`exceeded max depth: the body nests over ${maxDepth} levels`);
  }
}

/** JSON.parse drops duplicate keys silently, so the YAML parser finds them: JSON is YAML. */
function duplicatesIn(text: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown, path: string): void => {
    if (isSeq(node)) node.items.forEach((item, index) => visit(item, `${path}[${index}]`));
    if (!isMap(node)) return;
    const seen = new Set<string>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : "";
      const field = path === "" ? name : `${path}.${name}`;
      if (seen.has(name)) found.push(field);
      seen.add(name);
      visit(value, field);
    }
  };
  visit(parseDocument(text, { uniqueKeys: false }).contents, "");
  return [...new Set(found)];
}
