export interface Tracer {
  line(text: string): void;
  /** Of all lines: equal for equal runs. 0 without lines. */
  readonly digest: number;
  /** Only if they are kept. */
  readonly lines: readonly string[];
}

/** "digest": forgets the lines. "nothing": costs nothing. */
export function openTracer(keeps: "lines" | "digest" | "nothing"): Tracer {
  if (keeps === "nothing") return { lines: [], digest: 0, line: () => undefined };
  const lines: string[] = [];
  let digest = 0x811c9dc5;
  return {
    lines,
    get digest() {
      return digest;
    },
    line(text) {
      for (let i = 0; i < text.length; i += 1) digest = Math.imul(digest ^ text.charCodeAt(i), 0x01000193) >>> 0;
      if (keeps === "lines") lines.push(text);
    },
  };
}
