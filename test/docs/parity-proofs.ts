import { describeHpa } from "../../cli/look/describe-hpa";
import { skewWarning } from "../../cli/look/version";
import { formatTable, getColumns, getRow } from "../../cli/shell/print/get-row";
import type { StoredEntry } from "../../lib/model/ports/entries";
import { nextEntry } from "../../lib/table/next-entry";
import { admit } from "../../parity/ask-ebb";
import type { Answer } from "../../parity/case";
import { readKubectlVectors } from "../cli/kubectl-vectors";
import { ebb } from "../cli/run-ebb";
import { readSequences, replay } from "../core/replay-events";
import { readVectors } from "../core/vectors";
import { expectToEqual } from "../expect-often";

/** Rows of docs/parity.md about more than one answer: upstream's recorded ones, beside ours. */
export const proofs: Readonly<Record<string, (upstream: readonly Answer[]) => void | Promise<void>>> = {
  "Every version ever served": () => {
    const recorded = readVectors<{ readonly given: unknown; readonly v2: { readonly spec: unknown } }>("versions");
    for (const { given, v2 } of recorded) expect(admit(given)).toEqual({ errors: [], spec: v2.spec });
    expect(recorded).toHaveLength(300);
  },
  Events: () => {
    for (const { steps } of some(readSequences())) replay(steps);
  },
  "get, describe, events": () => {
    const now = Date.parse("2026-11-26T00:00:00Z");
    const withoutAge = (row = "") => row.replace(/\S+$/, "");
    for (const { v2, get, describe } of some(readKubectlVectors())) {
      const [header, row] = formatTable(getColumns, [getRow(v2, now)]).split("\n");
      expect([header, withoutAge(row)]).toEqual(get);
      expect(describeHpa(v2, [], now)).toBe(describe);
    }
  },
  "Full groups of similar events": () => {
    let others = 0;
    for (const { steps } of some(readSequences()))
      replay(steps, ({ message, left = [] }, { before, after }) => {
        expectToEqual(after, [...before.filter((one) => one !== message), message].slice(-9));
        if (!left.every((one) => after.includes(one))) others++;
      });
    expect(others).toBeGreaterThan(10);
  },
  "A conflict when the scale is written": ([upstream]) =>
    // From 2, although somebody set 7. That ours does not is named in test/docs/parity.test.ts.
    expect(upstream).toMatchObject({ expect: { scaleTo: 4 } }),
  apply: () => {
    const patched = { ...appliedHpa, spec: { ...appliedHpa.spec, minReplicas: 2 } };
    const ref = { cluster: "parity", kind: "HorizontalPodAutoscaler", namespace: "default", name: "applied" };
    const { document } = nextEntry({ ref, document: patched } as unknown as StoredEntry, appliedHpa, birth);
    expect([kubectlsAnswer("apply"), document["spec"]]).toEqual([["2"], appliedHpa.spec]);
  },
  autoscale: async () => {
    const args = ["deployment", "web", "--min=0", "--max=5", "--sqs=orders", "--per-replica=5"];
    const { stdout } = await ebb(["autoscale", ...args, "--dry-run", "-o", "jsonpath={.spec.minReplicas}"]);
    expect([kubectlsAnswer("autoscale"), stdout]).toEqual([["1"], "0"]);
  },
  version: () => {
    const [ofOne, ofTwo] = kubectlsAnswer("version") ?? [];
    expect([ofOne, ofTwo]).toEqual(["", expect.stringContaining("version difference between client (1.37)")]);
    expect(skewWarning("1.37.0", "1.36.0")).toContain("version difference between client (1.37)");
  },
};

/** Applied, patched to `minReplicas: 2`, and applied again. */
export const appliedHpa = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "applied", namespace: "default" },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 5 },
};
const birth = { at: 0, uid: "" };

const kubectlsAnswer = (row: string) =>
  readVectors<{ readonly id: string; readonly answer: readonly string[] }>("commands").find(({ id }) => id === row)
    ?.answer;

const some = <T>(recorded: readonly T[]) => recorded.filter((_, index) => index % 5 === 0);
