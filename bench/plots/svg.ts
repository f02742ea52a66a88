/** What the plots share: one look in light and dark, and text that is the same for the same figures. */
export const width = 760;

const light = ["#2a6fc9", "#d9541e", "#14875c", "#a86f00", "#a33a86", "#4a3aa7", "#5f6b76"];
const dark = ["#6aa8f5", "#f58a58", "#3fc08d", "#e0a93a", "#e07fc4", "#a99bf2", "#a8b3bd"];
/** A series beyond these has no colour of its own. */
export const mostSeries = light.length;

const colours = (of: readonly string[]) =>
  of.map((colour, at) => `.l${at}{stroke:${colour}}.f${at}{fill:${colour}}`).join("");

const style = [
  "text{font:12px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:#1f2328}",
  ".title{font-size:15px;font-weight:600}.quiet{fill:#59636e}.end{text-anchor:end}.middle{text-anchor:middle}",
  ".card{fill:#ffffff;stroke:#d1d9e0}.grid{stroke:#e4e8ec}.axis{stroke:#818b98}",
  ".limit{stroke:#b3261e;stroke-dasharray:2 3;stroke-width:1.5}.limit-text{fill:#b3261e}",
  ".line{fill:none;stroke-width:2;stroke-linejoin:round}.dashed{stroke-dasharray:6 4}",
  colours(light),
  "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9198a1}.card{fill:#0d1117;stroke:#3d444d}",
  ".grid{stroke:#252b33}.axis{stroke:#6e7681}.limit{stroke:#ff8a80}.limit-text{fill:#ff8a80}",
  `${colours(dark)}}`,
].join("");

/** A whole picture. `title` is what a screen reader says as well. */
export function picture(title: string, height: number, parts: readonly string[]): string {
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">`,
    `<title>${escape(title)}</title>`,
    `<style>${style}</style>`,
    `<rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>`,
    text({ x: 20, y: 28, className: "title" }, title),
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

interface Placed {
  readonly x: number;
  readonly y: number;
  readonly className?: string;
  /** Degrees, around its own place. */
  readonly turned?: number;
}

export function text({ x, y, className, turned }: Placed, content: string): string {
  const look = className === undefined ? "" : ` class="${className}"`;
  const turn = turned === undefined ? "" : ` transform="rotate(${turned} ${place(x)} ${place(y)})"`;
  return `<text${look} x="${place(x)}" y="${place(y)}"${turn}>${escape(content)}</text>`;
}

export function line(className: string, [x1, y1]: Point, [x2, y2]: Point): string {
  return `<line class="${className}" x1="${place(x1)}" y1="${place(y1)}" x2="${place(x2)}" y2="${place(y2)}"/>`;
}

export type Point = readonly [x: number, y: number];

/** A tenth of a pixel: a figure that hardly changes does not change the picture. */
export function place(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Names beside their colours, in rows that fit the width. @returns the marks and how many rows they take. */
export function legend(
  names: readonly string[],
  top: number,
  mark: (at: number, left: number, middle: number) => string,
): { readonly parts: readonly string[]; readonly rows: number } {
  const parts: string[] = [];
  let [left, row] = [20, 0];
  for (const [at, name] of names.entries()) {
    const wide = 34 + name.length * 6.7;
    if (left > 20 && left + wide > width - 20) [left, row] = [20, row + 1];
    const middle = top + row * 20;
    parts.push(mark(at, left, middle), text({ x: left + 24, y: middle + 4 }, name));
    left += wide + 10;
  }
  return { parts, rows: row + 1 };
}

/** @throws Error if there are more series than colours. */
export function checkSeries(title: string, count: number): void {
  if (count > mostSeries) throw new Error(`${title}: expected at most ${mostSeries} series, got ${count}`);
}

function escape(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
