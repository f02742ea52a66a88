import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { MetricSpec } from "../../lib/k8s/hpa";
import { putCluster, putHpa } from "../../local/entries";
import { kubeconfigOf } from "../../local/backends/kubernetes/certificates";
import { hpaWith } from "../core/build";
import { ebb } from "../cli/run-ebb";
import { tableForTests } from "../cli/table";
import { readDocuments } from "../infra/read-template";

export interface GrantedRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** An API server with a user whose rights a test sets. */
export interface DoctorFixture {
  readonly endpoint: string;
  readonly certificateAuthorityData: string;
  readonly token: string;
  /** Resolves once exactly these rules hold for the user. */
  grant(rules: readonly GrantedRule[]): Promise<void>;
  close(): Promise<void>;
}

const rules = readDocuments<{ readonly rules?: readonly GrantedRule[] }>("infra/kubernetes/rbac.yaml").flatMap(
  (document) => document.rules ?? [],
);

const target = { type: "AverageValue", averageValue: "1" };
const metrics: readonly MetricSpec[] = [
  { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
  { type: "Pods", pods: { metric: { name: "requests" }, target } },
  { type: "External", external: { metric: { name: "depth" }, target } },
];

/**
 * `ebb doctor` on a real or simulated API server: the rules of infra/kubernetes/rbac.yaml are enough, and it notices
 * when one is missing.
 */
export function doctorContract(name: string, setUp: () => Promise<DoctorFixture>): void {
  describe(`ebb doctor on ${name}`, () => {
    jest.setTimeout(120_000);
    const { table, folder } = tableForTests();
    let fixture: DoctorFixture;

    beforeAll(async () => {
      fixture = await setUp();
      const { endpoint, certificateAuthorityData, token } = fixture;
      const file = join(folder(), "kubeconfig");
      const access = { name: "c", user: "ebb", namespace: "default" };
      await writeFile(file, kubeconfigOf({ ...access, endpoint, certificateAuthorityData, token }));
      await putCluster(table(), "prod", { auth: { type: "kubeconfig", file } });
      await putHpa(table(), "prod", hpaWith({ metrics }));
      const controller = { apiVersion: "v1", kind: "ReplicationController", name: "old" };
      const old = hpaWith({ scaleTargetRef: controller, metrics: metrics.slice(0, 1) });
      await putHpa(table(), "prod", { ...old, metadata: { name: "old", namespace: "shop" } });
    });
    afterAll(() => fixture.close());

    /** What it says of rights, with the kubeconfig that its user names. */
    const rightsLines = async (): Promise<readonly string[]> => {
      const env = { KUBECONFIG: join(folder(), "kubeconfig") };
      const { stdout } = await ebb(["doctor", "prod", "--directory", folder()], { table: table(), env });
      return stdout.split("\n").filter((line) => / may /.test(line));
    };

    test("with what rbac.yaml grants, all is allowed", async () => {
      await fixture.grant(rules);
      expect(await rightsLines()).toEqual([
        "  ok    may get and update replicationcontrollers/scale",
        "  ok    may get and update deployments.apps/scale",
        "  ok    may list pods.metrics.k8s.io",
        "  ok    may list pods",
        "  ok    may get pods.custom.metrics.k8s.io/requests",
        "  ok    may list depth.external.metrics.k8s.io",
      ]);
    });

    test.each(rules.map((rule) => [`${rule.apiGroups.join()} ${rule.resources.join()}`, rule] as const))(
      "without %s exactly that is missing, and the rule to add is named",
      async (_, missing) => {
        await fixture.grant(rules.filter((rule) => rule !== missing));
        const lines = await rightsLines();
        const failed = lines.filter((line) => line.includes("FAIL"));
        expect(lines).toHaveLength(6);
        expect(failed).toHaveLength(1);
        const [group = ""] = missing.apiGroups;
        // Of a rule for all metrics, only what the HPAs read has to be granted.
        const read: Record<string, string> = {
          "custom.metrics.k8s.io": "pods/requests",
          "external.metrics.k8s.io": "depth",
        };
        const resource = read[group] ?? missing.resources[0] ?? "";
        expect(failed[0]).toContain(`apiGroups: ["${group}"], resources: ["${resource}"]`);
        expect(failed[0]).toMatch(/in namespace shop: .* not allowed → .*: `ebb rbac prod .*\| kubectl apply -f -`; /);
      },
    );
  });
}
