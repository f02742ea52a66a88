import { badParameter } from "../parameters";
import type { Encode } from "../network/template";

const numberOrDuration = /^\d+(\.\d+)?$|^(\d+(ms|[smhdwy]))+$/;

/**
 * Writes a value into a PromQL expression, so that it stays one value whatever it holds: within a string literal it is
 * escaped, and as a pattern (=~, !~) it matches itself alone. Outside, it may be a number or a duration.
 * https://prometheus.io/docs/prometheus/latest/querying/basics/#string-literals
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

/** The other quote must not be escaped. Every escape of two hexadecimal digits is a byte, so other characters stay. */
function escaped(value: string, quote: string): string {
  return value
    .replace(/\\/g, "\\\\")
    .replaceAll(quote, `\\${quote}`)
    .replace(/\p{Cc}/gu, (char) => (char <= "\x7f" ? `\\x${hex(char)}` : char));
}

const hex = (char: string) => char.charCodeAt(0).toString(16).padStart(2, "0");

/** Whether the end of the text is within quotes (or a comment), and whether these follow a pattern's operator. */
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

/** A selector without functions, operators and ranges: `jobs{queue="orders"}`. */
const selector =
  /^\s*([a-zA-Z_:][\w:]*\s*(\{([^"'`{}]|"(\\.|[^"\\])*"|'(\\.|[^'\\])*'|`[^`]*`)*\})?|\{([^"'`{}]|"(\\.|[^"\\])*"|'(\\.|[^'\\])*'|`[^`]*`)+\})\s*$/;

/** The expression, with samples of at most this age. Throws a Fault "badEntry" unless it is a plain selector. */
export function freshOnly(query: string, maxAgeSeconds: number): string {
  if (!selector.test(query))
    throw badParameter(
      "maxAgeSeconds",
      "a query that is a plain selector; in an expression, write last_over_time(metric[1m]) for each metric",
      maxAgeSeconds,
    );
  // A series that is marked stale is gone, even if its last sample is recent.
  return `last_over_time(${query.trim()}[${maxAgeSeconds}s]) and ${query.trim()}`;
}
