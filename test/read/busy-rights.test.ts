import { requiredPermissionsOf } from "../../lib/read/required-permissions";
import { checkEntries } from "../../cli/understand/doctor/check-entries";
import { hpaWith } from "../core/build";

const locate = () => ({ kind: "cluster" }) as const;

function hpaOf(busy: string | undefined, kind = "Deployment") {
  const hpa = hpaWith({ scaleTargetRef: { apiVersion: "apps/v1", kind, name: "web" } });
  return {
    ...hpa,
    metadata: { ...hpa.metadata, ...(busy !== undefined && { annotations: { "ebb.dev/busy": busy } }) },
  };
}

function podRights(busy: string | undefined, kind?: string) {
  const { rights } = requiredPermissionsOf([hpaOf(busy, kind)], { locate, mirrorsEvents: false });
  return rights
    .filter(({ resource }) => resource === "pods")
    .map(
      ({ group, subresource, verbs }) => `${[group, "pods", subresource].filter(Boolean).join("/")} ${verbs.join()}`,
    );
}

test.each<[string | undefined, string, readonly string[]]>([
  [undefined, "Deployment", []],
  ["annotation: worker.example/busy", "Deployment", ["pods list", "pods patch"]],
  ["annotation: worker.example/busy", "StatefulSet", ["pods list"]],
  ["metric: jobs", "Deployment", ["pods list", "pods patch", "custom.metrics.k8s.io/pods/jobs get"]],
  ["http: :8080/busy", "Deployment", ["pods list", "pods patch", "pods/proxy get"]],
])("%s on a %s: %j", (busy, kind, expected) => {
  expect(podRights(busy, kind)).toEqual(expected);
});

test("doctor says whose pods do not go by their cost", () => {
  const document = hpaOf("metric: jobs", "StatefulSet");
  const contents = { hpas: [{ key: "shop/web", document }], sources: [], brokenStates: {} };
  const { findings } = checkEntries("prod", contents as unknown as Parameters<typeof checkEntries>[1], undefined);
  expect(findings.map(({ kind, what }) => `${kind} ${what}`)).toEqual([
    "ok 1 HPA is valid",
    "ok HPA shop/web: ebb.dev/busy may not choose which pods go: a StatefulSet removes its highest ordinal first, whichever pod is busy",
  ]);
});
