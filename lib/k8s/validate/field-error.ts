import { goJson, goQuote } from "../go-text";

/** `text`: upstream's `field: Kind: value: text` (apimachinery pkg/util/validation/field). */
export interface FieldError {
  /** "spec.metrics[0].type"; "" is the document. */
  readonly path: string;
  readonly text: string;
}

export function required(path: string, text = ""): FieldError {
  return { path, text: `${path}: Required value${text === "" ? "" : `: ${text}`}` };
}

export function forbidden(path: string, text: string): FieldError {
  return { path, text: `${path}: Forbidden: ${text}` };
}

export function invalid(path: string, value: string | number, text: string): FieldError {
  return { path, text: `${path}: Invalid value: ${typeof value === "string" ? goQuote(value) : value}: ${text}` };
}

/** Go's named strings: upstream prints JSON, with <, > and & escaped. */
export function invalidName(path: string, value: string, text: string): FieldError {
  return { path, text: `${path}: Invalid value: ${goJson(value)}: ${text}` };
}

export function unsupported(path: string, value: string, supported: readonly string[]): FieldError {
  const values = supported.map(goQuote).join(", ");
  return { path, text: `${path}: Unsupported value: ${goJson(value)}: supported values: ${values}` };
}

export function unknownField(path: string): FieldError {
  return { path, text: `strict decoding error: unknown field ${goQuote(path)}` };
}

export function duplicateField(path: string): FieldError {
  return { path, text: `strict decoding error: duplicate field ${goQuote(path)}` };
}
