import type { Check } from "./checks";
import { type Measured, total } from "./measure";
import { median } from "../harness/report";
import type { FleetRuns } from "./fleet-runs";

export function printRuns({ fleet, pairs, writesAlone, byDefault, fiveAtOnce, memory }: FleetRuns): void {
  console.log(`\n${fleet.name}: medians of ${pairs.steady.length} runs`);
  const rows = Object.entries(pairs).flatMap(([situation, each]) =>
    each.length === 0
      ? []
      : (["ebb", "upstream"] as const).map((side) => [`${situation}, ${side}`, row(each.map((pair) => pair[side]))]),
  );
  if (writesAlone.length > 0) rows.push(["scaling, the writes alone", row(writesAlone)]);
  for (const [situation, measured] of Object.entries(fiveAtOnce ?? {}))
    rows.push([`${situation}, upstream five at a time`, row([measured])]);
  if (byDefault) rows.push(["steady, upstream with its defaults", row([byDefault])]);
  console.table(Object.fromEntries(rows));
  const { ebb, upstream, apiServer } = memory;
  console.log(`peak memory: ebb ${ebb} MB, upstream ${upstream} MB, kube-apiserver ${apiServer} MB`);
}

function row(rounds: readonly Measured[]) {
  const of = (figure: (measured: Measured) => number) => median(rounds.map(figure));
  return {
    "wall, s": Number((of(({ ms }) => ms) / 1_000).toFixed(2)),
    "own CPU, s": of(({ cpu }) => cpu.own) / 1_000,
    "API server's CPU, s": of(({ cpu }) => cpu.apiServer) / 1_000,
    "together, s": of(({ cpu }) => cpu.own + cpu.apiServer) / 1_000,
    "not reached": of(({ missed }) => missed),
    "API requests": of(({ requests }) => total(requests)),
  };
}

export function printChecks(checks: readonly Check[]): void {
  for (const { name, target, figures, isMet, mustHold } of checks) {
    const verdict = isMet ? "met" : mustHold ? "FAILED" : "target, missed";
    console.log(`${name}: ${figures.map((figure) => figure.toFixed(2)).join(", ")}; target ${target}: ${verdict}`);
  }
}
