import { byteLength } from "./go-text";

/** Upstream: apimachinery pkg/api/validate/content. */

const LABEL = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const SUBDOMAIN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

const labelPattern = new RegExp(`^${LABEL}$`);
const subdomainPattern = new RegExp(`^${SUBDOMAIN}$`);

/** Most names are right; a selector may have thousands. */
const shortLabel = /^([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$/;

export function isLabelValue(value: string): boolean {
  return value === "" || shortLabel.test(value);
}

/** Without a prefix. */
export function isLabelKey(key: string): boolean {
  return shortLabel.test(key);
}

const characters =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const keyExamples = `(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${LABEL}')`;

export function labelKeyErrors(key: string): string[] {
  if (isLabelKey(key)) return [];
  const parts = key.split("/");
  if (parts.length > 2) {
    return [
      `a valid label key ${characters} ${keyExamples} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? "";
  return [...(parts.length === 2 ? prefixErrors(parts[0] ?? "") : []), ...nameErrors(name)];
}

function prefixErrors(prefix: string): string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  const errors: string[] = [];
  if (byteLength(prefix) > 253) errors.push("prefix part must be no more than 253 bytes");
  if (!subdomainPattern.test(prefix)) {
    errors.push(
      "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
        `and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`,
    );
  }
  return errors;
}

function nameErrors(name: string): string[] {
  const errors: string[] = [];
  if (name === "") errors.push("name part must be non-empty");
  else if (byteLength(name) > 63) errors.push("name part must be no more than 63 bytes");
  if (!labelPattern.test(name)) errors.push(`name part ${characters} ${keyExamples}`);
  return errors;
}

export function labelValueErrors(value: string): string[] {
  if (isLabelValue(value)) return [];
  const errors: string[] = [];
  if (byteLength(value) > 63) errors.push("must be no more than 63 bytes");
  if (value !== "" && !labelPattern.test(value)) {
    errors.push(
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with " +
        `an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${LABEL})?')`,
    );
  }
  return errors;
}
