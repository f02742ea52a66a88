import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { nextSteps } from "../../cli/init/next-steps";
import type { ClusterAuth } from "../../lib/model/entry/entries";
import { ebb } from "./run-ebb";
import { tableForTests } from "./table";

/** A new user does what `ebb init` says, in its order. */
const { table, folder } = tableForTests();

const stepsOf = (text: string) => [...text.matchAll(/^ {2}\d+\. (.*)$/gm)].map(([, step = ""]) => step);
/** The first `ebb` command of each step, without what follows it in prose or in a pipe. */
const commandsOf = (text: string) =>
  stepsOf(text).flatMap(
    (step) => /\b(ebb (?:apply -f|rbac|doctor) [^|(]*?)(?: checks .*| \| .*)?$/.exec(step)?.[1] ?? [],
  );

test.each<[string, readonly string[], object]>([
  [
    "an EKS cluster",
    ["--eks", "prod", "--region", "eu-central-1"],
    { kind: "Group", name: "ebb", apiGroup: "rbac.authorization.k8s.io" },
  ],
  ["any other cluster", ["--cluster", "on-prem"], { kind: "ServiceAccount", name: "ebb", namespace: "ebb" }],
])(
  "the steps for %s work one after another, and grant one namespace's HPA what it needs",
  async (_name, args, subject) => {
    const dir = join(folder(), args.at(-1) ?? "");
    const { stderr } = await ebb(["init", dir, "-n", "shop", ...args]);
    const commands = commandsOf(stderr);
    expect(commands.map((command) => command.split(" ")[1])).toEqual(["apply", "apply", "rbac", "doctor"]);
    let granted = "";
    for (const command of commands.slice(0, 3)) {
      const [, ...words] = command.split(" ");
      const ran = await ebb(words, { table: table() });
      expect([command, ran.stderr, ran.exitCode]).toEqual([command, "", 0]);
      granted = ran.stdout;
    }
    const manifests = parseAllDocuments(granted).map((document) => document.toJS() as Record<string, unknown>);
    expect(manifests).toMatchObject([
      {
        kind: "Role",
        metadata: { namespace: "shop" },
        rules: [{ apiGroups: ["apps"], resources: ["deployments/scale"], verbs: ["get", "update"] }],
      },
      { kind: "RoleBinding", metadata: { namespace: "shop" }, subjects: [subject] },
    ]);
  },
);

test.each<[string, ClusterAuth, RegExp]>([
  [
    "eks",
    { type: "eks", clusterName: "prod", region: "eu-central-1" },
    /create-access-entry .* --kubernetes-groups ebb/,
  ],
  ["token", { type: "token", secret: "ebb/prod" }, /service-account\.yaml/],
  ["clientCertificate", { type: "clientCertificate", secret: "ebb/prod" }, /group \(O\) ebb/],
])("with auth %s, no step grants more than ebb rbac does", (_type, auth, letIn) => {
  const text = nextSteps({ cluster: "prod", namespace: "shop", spec: { auth }, open: [] }, "prod");
  expect(text).toMatch(letIn);
  expect(text).toMatch(/ebb rbac prod .*\| kubectl apply -f -/);
  expect(text).not.toMatch(/kubectl apply -f infra\/kubernetes\/rbac\.yaml|cluster-wide/);
});

test("names that mean something to a shell stay words", () => {
  const cluster = "it's; echo $HOME";
  const auth: ClusterAuth = { type: "token", secret: `ebb/${cluster}` };
  const text = nextSteps({ cluster, namespace: "shop", spec: { auth }, open: [] }, "my files");
  const rbac = /ebb (rbac .*) --service-account/.exec(text)?.[1] ?? "";
  const words = execFileSync("sh", ["-c", `printf '%s\\n' ${rbac}`], { encoding: "utf8" });
  expect(words).toBe(`rbac\n${cluster}\n`);
  expect(text).toContain("ebb apply -f 'my files/cluster.yaml'");
});
