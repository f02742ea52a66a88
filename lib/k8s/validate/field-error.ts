import { goJson, goQuote } from "../go-text";

/** A field's error in upstream's format: `field: Kind: value: text` (apimachinery pkg/util/validation/field). */

export function required(field: string, text = ""): string {
  return `${field}: Required value${text === "" ? "" : `: ${text}`}`;
}

export function forbidden(field: string, text: string): string {
  return `${field}: Forbidden: ${text}`;
}

export function invalid(field: string, value: string | number, text: string): string {
  return `${field}: Invalid value: ${typeof value === "string" ? goQuote(value) : value}: ${text}`;
}

/** A value whose Go type is a named string. Upstream prints it as JSON, with <, > and & escaped. */
export function invalidName(field: string, value: string, text: string): string {
  return `${field}: Invalid value: ${goJson(value)}: ${text}`;
}

export function unsupported(field: string, value: string, supported: readonly string[]): string {
  return `${field}: Unsupported value: ${goJson(value)}: supported values: ${supported.map(goQuote).join(", ")}`;
}
