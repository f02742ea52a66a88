import { badParameter } from "../parameters";
import type { Encode } from "../network/template";

const numberOrDuration = /^\d+(\.\d+)?$|^(\d+(ms|[smhdwy]))+$/;

/**
 * Keeps a value one value: a string literal escapes it, and a pattern (=~, !~) matches it alone. Outside of quotes, it
 * may be a number or a duration. https://prometheus.io/docs/prometheus/latest/querying/basics/#string-literals
 */
export const encodePromql: Encode = (value, { before, name }) => {
  const { quote, isPattern } = quotingAfter(before);
  if (quote === undefined) {
    if (numberOrDuration.test(value)) return value;
    throw badParameter(`var.${name}`, "a number or a duration, because the placeholder is outside of quotes", value);
  }
  if (quote === "#") throw badParameter("query", `no placeholder \${${name}} in a comment`, undefined);
  if (quote === "`")
    throw badParameter("query", `double quotes around \${${name}}, because backquotes have no escapes`, undefined);
  return escaped(isPattern ? value.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&") : value, quote);
};

/** The other quote must not be escaped. `\x` writes a byte, so other characters stay. */
function escaped(value: string, quote: string): string {
  return value
    .replace(/\\/g, "\\\\")
    .replaceAll(quote, `\\${quote}`)
    .replace(/\p{Cc}/gu, (char) => (char <= "\x7f" ? `\\x${hex(char)}` : char));
}

const hex = (char: string) => char.charCodeAt(0).toString(16).padStart(2, "0");

/** The quote that is open at the text's end; `isPattern` if it follows =~ or !~. */
function quotingAfter(text: string): { readonly quote: string | undefined; readonly isPattern: boolean } {
  let quote: string | undefined;
  let opened = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote === undefined) {
      if (/["'`#]/.test(char)) [quote, opened] = [char, at];
    } else if (quote === "#") {
      if (char === "\n") quote = undefined;
    } else if (char === "\\" && quote !== "`") at += 1;
    else if (char === quote) quote = undefined;
  }
  return { quote, isPattern: /[=!]~\s*$/.test(text.slice(0, opened)) };
}

/** Without functions, operators and ranges: `jobs{queue="orders"}`. */
const selector =
  /^\s*([a-zA-Z_:][\w:]*\s*(\{([^"'`{}]|"(\\.|[^"\\])*"|'(\\.|[^'\\])*'|`[^`]*`)*\})?|\{([^"'`{}]|"(\\.|[^"\\])*"|'(\\.|[^'\\])*'|`[^`]*`)+\})\s*$/;

/** @throws Fault "badEntry" unless the query is a plain selector. */
export function freshOnly(query: string, maxAgeSeconds: number): string {
  if (!selector.test(query))
    throw badParameter(
      "maxAgeSeconds",
      "a query that is a plain selector; in an expression, write last_over_time(metric[1m]) for each metric",
      maxAgeSeconds,
    );
  // A stale series is gone, even if its last sample is recent.
  return `last_over_time(${query.trim()}[${maxAgeSeconds}s]) and ${query.trim()}`;
}
