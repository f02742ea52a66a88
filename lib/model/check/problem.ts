import { cutText } from "../../k8s/go-text";

export interface Problem {
  /** "spec.auth.type", "spec.parameters.queries[1]", `readings["sqs {}"].readAt`; "" is the whole value. */
  readonly path: string;
  readonly message: string;
}

export type FieldPath = readonly (string | number)[];

export function unexpected(path: FieldPath, expected: string, got: unknown): Problem {
  return { path: fieldText(path), message: `expected ${expected}, got ${shown(got)}` };
}

/** `spec.auth.type: expected one of eks, token, got "foo"`. */
export function problemText({ path, message }: Problem): string {
  return path === "" ? message : `${path}: ${message}`;
}

export function fieldText(path: FieldPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    if (!/^[\w-]+$/.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}

const shownCharacters = 80;

export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "bigint" || typeof value === "number") return String(value);
  if (value instanceof Uint8Array) return "binary";
  return excerpt(withoutPassword(JSON.stringify(value) ?? typeof value));
}

/** People put user and password into addresses. */
function withoutPassword(text: string): string {
  return text.replace(/:\/\/[^/\s"]*@/g, "://…@");
}

export function excerpt(text: string): string {
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}

const mostBytesOfText = 2_048;

/** @returns the first texts, each cut, and how many more there are. */
export function fewTexts(texts: readonly string[], most = 10): readonly string[] {
  const few = texts.slice(0, most).map((text) => cutText(text, mostBytesOfText));
  const more = texts.length - few.length;
  return more > 0 ? [...few, `and ${more} more`] : few;
}
