import { billOfDeployment } from "./bill-of-deployment";
import { billOfSlots } from "./bill-of-slots";
import { type Line, many, number, same, slower } from "./line";
import type { Load, Plan } from "./plan";
import { priceOfRead } from "./line";
import { monthlyReads, type MonthlyReads } from "./source-reads";

export function billOf(plan: Plan): readonly Line[] {
  const lines = [...sourceLines(plan), ...billOfSlots(plan), ...billOfDeployment(plan)];
  return lines.filter(({ moving }) => moving > 0).toSorted((a, b) => b.moving - a.moving);
}

export function totalOf(lines: readonly Line[], load: Load, only: (line: Line) => boolean = () => true): number {
  return lines.filter(only).reduce((sum, line) => sum + line[load], 0);
}

function sourceLines(plan: Plan): readonly Line[] {
  return monthlyReads(plan).map((read) => {
    const { amount, ...line } = costOfReads(read, read.times);
    const what = `read ${read.source}: ${atLeast(read)}${many(read.count, read.what)}`;
    return { ...same(amount), what, ...line };
  });
}

export function costOfReads(read: Omit<MonthlyReads, "times">, times: number) {
  const { each, arithmetic } = priceOfRead[read.unit];
  return {
    amount: times * each,
    arithmetic: `${atLeast(read)}${number(times)} ${arithmetic()}`,
    knob: read.loweredBy ?? slower,
    readsSources: true as const,
  };
}

function atLeast({ isLeast }: Pick<MonthlyReads, "isLeast">): string {
  return isLeast === true ? "at least " : "";
}
