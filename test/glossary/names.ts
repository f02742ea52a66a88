export interface Term {
  readonly term: string;
  readonly meaning: string;
  readonly source: string;
  /** Words that the project does not use for it. */
  readonly not: readonly string[];
}

/** The lines of the glossary: "- **slot** [time slots]: Its meaning. Not: a word, another." */
export function readTerms(page: string): readonly Term[] {
  return [...page.matchAll(/^- \*\*(.+?)\*\* \[(.*?)\]: (.*?)(?: Not: (.+)\.)?$/gm)].map(
    ([, term = "", source = "", meaning = "", not = ""]) => {
      const words = not.split(",").map((word) => word.trim());
      return { term, meaning, source, not: words.filter((word) => word !== "") };
    },
  );
}

const declaration = /^export (?:abstract |async |declare )*(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;

/** What a file of TypeScript exports by name, in Prettier's format. */
export function declaredNames(code: string): readonly string[] {
  return [...new Set([...code.matchAll(declaration)].map(([, name = ""]) => name))];
}

/** `openEndpointLimiter`, `endpoint-limiter` and `END_POINT` as words. */
export function wordsOf(name: string): readonly string[] {
  const parts = name.replace(/([a-z0-9])([A-Z])/g, "$1-$2").replace(/([A-Z]+)([A-Z][a-z])/g, "$1-$2");
  return parts.toLowerCase().split(/[^a-z0-9]+/);
}

/** A private word is one word or several: "far end". Its plural counts as well. */
export function privateWordIn(name: readonly string[], words: readonly string[]): string | undefined {
  const text = ` ${name.join(" ")} `;
  return words.find((word) => text.includes(` ${word} `) || text.includes(` ${word}s `));
}
