import { describeHpa } from "../../cli/look/describe-hpa";
import { skewWarning } from "../../cli/look/version";
import { formatTable, getColumns, getRow } from "../../cli/shell/print/get-row";
import type { Cluster } from "../../lib/model/ports/cluster";
import type { StoredEntry } from "../../lib/model/ports/entries";
import { nextEntry } from "../../lib/table/next-entry";
import { admit } from "../../parity/ask-ebb";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import type { ExternalMetricValue } from "../../lib/k8s/objects";
import type { Answer } from "../../parity/case";
import { pageCases } from "../../parity/page-cases";
import { readKubectlVectors } from "../cli/kubectl-vectors";
import { ebb } from "../cli/run-ebb";
import { readSequences, replay } from "../core/replay-events";
import { readVectors } from "../core/vectors";
import { expectToEqual } from "../expect-often";
import { fixture, queueSpec } from "../sync/sync-fixture";

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
  "A conflict when the scale is written": async ([upstream]) => {
    expect(upstream).toMatchObject({ expect: { scaleTo: 4 } }); // from 2, although somebody set 7
    const day = fixture({ spec: { ...queueSpec, minReplicas: 1 }, replicas: 2 });
    day.depth(20);
    const putScale: Cluster["putScale"] = (target, scale, signal) => {
      if (day.replicasNow() === 2) day.cluster.add("shop/orders", 7);
      return day.cluster.putScale(target, scale, signal);
    };
    await day.sync(1, { cluster: { ...day.cluster, putScale } });
    expect([day.replicasNow(), day.cluster.writes]).toEqual([7, []]);
    expect(day.condition("AbleToScale")?.reason).toBe("FailedUpdateScale");
  },
  "Latest values": async ([upstream]) => {
    const { expect: told } = upstream as { readonly expect: readonly { readonly currentMetrics: unknown }[] };
    const [{ given } = { given: {} }] = pageCases.filter(({ row }) => row === "Latest values");
    const { hpa, steps } = given as Resting;
    const day = fixture({ spec: hpa.spec });
    day.cluster.add("shop/x", 2);
    for (const [index, { metrics }] of steps.entries()) {
      const { items } = metrics[0] ?? {};
      day.cluster.external.set("m", [...(items ?? [])]);
      await day.sync(index);
    }
    // Upstream's status shows each of five values. In this minute, ours shows the first, and once what moved since.
    expect(new Set(told.map(({ currentMetrics }) => JSON.stringify(currentMetrics))).size).toBe(5);
    expect(day.store.calls).toMatchObject({ putState: 1, putLatest: 1 });
  },
  "autoscaling/v2beta1": () => {
    interface Converted {
      readonly given: { readonly spec: { readonly metrics: readonly [{ readonly containerResource: object }] } };
      readonly v2: { readonly spec: HorizontalPodAutoscaler["spec"] };
    }
    for (const { given, v2 } of readVectors<Converted>("v2beta1")) {
      expect(v2.spec.metrics?.map(({ containerResource }) => containerResource?.container)).toEqual([""]);
      const kept = structuredClone(v2.spec) as unknown as { metrics: { containerResource: { container: string } }[] };
      for (const { containerResource } of kept.metrics) containerResource.container = "app";
      expect(admit(given)).toEqual({ errors: [], spec: kept });
      expect(admit({ ...given, apiVersion: "autoscaling/v2alpha1" })).toEqual({ errors: [], spec: kept });
    }
  },
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

interface Resting {
  readonly hpa: HorizontalPodAutoscaler;
  readonly steps: readonly { readonly metrics: readonly { readonly items?: readonly ExternalMetricValue[] }[] }[];
}

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
