import { parseSelector, type Selector } from "../api/selector";

export type ParsedSelector = { readonly selector: Selector } | { readonly error: string };

/** Hundreds of HPAs of a namespace are each held against the selectors of all others: every text is parsed once. */
const parsed = new Map<string, ParsedSelector>();
const REMEMBERED = 10_000;

export function parsedSelector(text: string): ParsedSelector {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  if (parsed.size >= REMEMBERED) parsed.clear();
  const fresh = tryParse(text);
  parsed.set(text, fresh);
  return fresh;
}

function tryParse(text: string): ParsedSelector {
  try {
    return { selector: parseSelector(text) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
