import { exampleText } from "./examples";

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
}

interface Board {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

export const board = () => JSON.parse(exampleText("grafana/board.json")) as Board;

export interface BoardQuery {
  readonly panel: string;
  readonly expr: string;
}

export function boardQueries(): readonly BoardQuery[] {
  return board().panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ panel: title, expr })));
}

/** As Grafana sends it. */
export function filledIn(expr: string, given: Readonly<Record<string, string>>): string {
  return expr.replace(/\$(\w+)/g, (_, name: string) => {
    const value = given[name];
    if (value === undefined) throw new Error(`expected a value of $${name} in ${expr}`);
    return value;
  });
}
