import { byteLength } from "../byte-length";
import { invalid } from "./field-error";

/** The rules of names, in upstream's words (apimachinery pkg/util/validation and pkg/api/validate/content). */

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;

const labelPattern = new RegExp(`^${LABEL}$`);
const subdomainPattern = new RegExp(`^${SUBDOMAIN}$`);

export function subdomainErrors(field: string, name: string): string[] {
  return subdomainTexts(name).map((text) => invalid(field, name, text));
}

/** A name to be continued: one trailing dash, and whatever stands before it, is allowed. Upstream: maskTrailingDash. */
export function subdomainPrefixErrors(field: string, prefix: string): string[] {
  const masked = prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix;
  return subdomainTexts(masked).map((text) => invalid(field, prefix, text));
}

function subdomainTexts(name: string): readonly string[] {
  const texts: string[] = [];
  if (byteLength(name) > 253) texts.push("must be no more than 253 characters");
  if (!subdomainPattern.test(name)) {
    texts.push(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with " +
        `an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`,
    );
  }
  return texts;
}

export function labelErrors(field: string, name: string): string[] {
  const texts: string[] = [];
  if (byteLength(name) > 63) texts.push("must be no more than 63 characters");
  if (!labelPattern.test(name)) {
    texts.push(
      subdomainPattern.test(name)
        ? "must not contain dots"
        : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
            `an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`,
    );
  }
  return texts.map((text) => invalid(field, name, text));
}

/** A name that becomes one segment of a URL's path. */
export function pathSegmentErrors(field: string, name: string): string[] {
  if (name === "." || name === "..") return [invalid(field, name, `may not be '${name}'`)];
  return ["/", "%"]
    .filter((character) => name.includes(character))
    .map((character) => invalid(field, name, `may not contain '${character}'`));
}
