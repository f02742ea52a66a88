export interface Tracer {
  line(text: string): void;
  /** Of all lines: equal for equal runs. */
  readonly digest: number;
  /** Only if they are kept. */
  readonly lines: readonly string[];
}

export function openTracer(keeps: boolean): Tracer {
  const lines: string[] = [];
  let digest = 0x811c9dc5;
  return {
    lines,
    get digest() {
      return digest;
    },
    line(text) {
      for (let i = 0; i < text.length; i += 1) digest = Math.imul(digest ^ text.charCodeAt(i), 0x01000193) >>> 0;
      if (keeps) lines.push(text);
    },
  };
}
