import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { nextSteps } from "../../cli/set-up/next-steps";
import { serviceAccountFile } from "../../cli/set-up/init";
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
  expect(text).toMatch(/ebb rbac prod .*\| kubectl --context prod apply -f -/);
  expect(text).not.toMatch(/kubectl apply -f infra\/kubernetes\/rbac\.yaml|cluster-wide/);
});

test.each<[string, readonly string[]]>([
  ["an EKS cluster", ["--eks", "prod", "--region", "eu-central-1"]],
  ["any other cluster", ["--cluster", "on-prem"]],
  ["a source of its own", ["--cluster", "with-source", "--source", "rabbitmq"]],
])("for %s, neither the steps nor the files name a file that ebb init has not written", async (_name, args) => {
  const dir = join(folder(), `named-${args[1]}`);
  const { stderr, stdout } = await ebb(["init", dir, ...args]);
  const written = stdout.split("\n").flatMap((line) => (/ created$/.test(line) ? [line.replace(/ created$/, "")] : []));
  const texts = [stderr, ...written.map((path) => readFileSync(path, "utf8"))];
  expect(texts.join("\n")).not.toContain("infra/");
  const named = texts.flatMap((text) => text.match(/[^\s='"(;,:]+\.(?:yaml|json)\b/g) ?? []);
  const known = new Set([...written, ...written.map((path) => basename(path)), "secret.json"]);
  const schemas = [".ebb-schema/cluster.json", ".ebb-schema/hpa.json", ".ebb-schema/metric-source.json"];
  expect(named.filter((name) => !known.has(name) && !schemas.includes(name) && name !== "//secret.json")).toEqual([]);
});

test("service-account.yaml makes what infra/kubernetes/service-account.yaml makes", () => {
  const objects = (text: string) => parseAllDocuments(text).map((document) => document.toJS() as unknown);
  const infra = readFileSync(join(__dirname, "../../infra/kubernetes/service-account.yaml"), "utf8");
  expect(objects(serviceAccountFile)).toEqual(objects(infra));
});

/** As the user types them, with functions of the shell as kubectl and aws. */
test("the steps for a token, typed as they are, store a secret that its cluster's entry may use", async () => {
  const dir = join(folder(), "typed");
  await mkdir(dir, { recursive: true });
  const authority = Buffer.from("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n").toString("base64");
  const kubeconfig = join(dir, "kubeconfig");
  const cluster = { server: "https://10.0.0.1:6443", "certificate-authority-data": authority };
  await writeFile(
    kubeconfig,
    JSON.stringify({
      "current-context": "admin@prod:6443",
      contexts: [{ name: "admin@prod:6443", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster }],
      users: [{ name: "u", user: { token: "mine" } }],
    }),
  );
  const { stderr } = await ebb(["init", join(dir, "my files"), "--kubeconfig", kubeconfig]);
  const typed = stepsOf(stderr).flatMap((step) => /: ((?:kubectl .* -n ebb|aws) .*)$/.exec(step)?.[1] ?? []);
  const shell = [
    // What kubectl's go-template does to this template.
    `kubectl() { case "$*" in '--kubeconfig ${kubeconfig} --context admin@prod:6443 -n ebb get secret ebb-token -o go-template='*) printf '%s' "\${11#go-template=}" | sed -e 's/{{index .data "ca.crt"}}/${authority}/' -e 's/{{.data.token | base64decode}}/its-token/';; *) exit 9;; esac; }`,
    `aws() { printf '%s\n' "$4"; cat "\${6#file://}"; }`,
    ...typed,
  ].join("\n");
  const [name = "", ...text] = execFileSync("bash", ["-euc", shell], { cwd: dir, encoding: "utf8" }).split("\n");
  const entry = parse(readFileSync(join(dir, "my files/cluster.yaml"), "utf8")) as {
    metadata: { name: string };
    spec: { endpoint: string; certificateAuthorityData: string; auth: object };
  };
  expect(entry.metadata.name).toBe("admin@prod-6443");
  expect(name).toBe("ebb/admin@prod-6443");
  expect(entry.spec.auth).toEqual({ type: "token", secret: name });
  const { endpoint, certificateAuthorityData } = entry.spec;
  expect(JSON.parse(text.join("\n"))).toEqual({ endpoint, certificateAuthorityData, token: "its-token" });
  expect(existsSync(join(dir, "secret.json"))).toBe(false);
});

test("an EKS cluster that its entry does not have the name of is tagged for it, and a role asks for the external id", async () => {
  const args = [
    "--eks",
    "shop",
    "--cluster",
    "prod",
    "--region",
    "eu-central-1",
    "--role-arn",
    "arn:aws:iam::1:role/x",
  ];
  const { stderr } = await ebb(["init", join(folder(), "tagged"), ...args]);
  expect(stderr).toMatch(/aws eks tag-resource --region eu-central-1 .* --tags ebb\.dev\/cluster=prod\n/);
  expect(stderr).toMatch(
    /trust policy of arn:aws:iam::1:role\/x .* require the external id ebb\/prod \(sts:ExternalId\)/,
  );
  const own = await ebb(["init", join(folder(), "untagged"), "--eks", "prod", "--region", "eu-central-1"]);
  expect(own.stderr).not.toMatch(/tag-resource|external id/);
});

test("on EKS, both of ebb's roles are named: in access entries, or in the trust policy of the entry's role", async () => {
  const eks = ["--eks", "prod", "--region", "eu-central-1"];
  const own = await ebb(["init", join(folder(), "both"), ...eks]);
  const entry = (role: string) =>
    `aws eks create-access-entry --region eu-central-1 --cluster-name prod --principal-arn ${role} --kubernetes-groups ebb`;
  const steps = stepsOf(own.stderr);
  expect(steps).toContainEqual(expect.stringMatching(`^Let ebb in, as the group ebb: ${entry("<SyncRoleArn>")} `));
  // The poller's role gets what it needs, and the step says when it needs it.
  const condition = "if HPAs with ebb.dev/wake: fast read sources inside the cluster";
  expect(steps).toContainEqual(
    expect.stringMatching(`^The zero-scale poller as well, ${condition} .*${entry("<WatchRoleArn>")} `),
  );

  const foreign = await ebb(["init", join(folder(), "foreign"), ...eks, "--role-arn", "arn:aws:iam::1:role/x"]);
  const entries = stepsOf(foreign.stderr).filter((step) => step.includes("create-access-entry"));
  expect(entries).toEqual([expect.stringContaining(entry("arn:aws:iam::1:role/x"))]);
  const trust = new RegExp(`name ebb's roles, <SyncRoleArn> and, ${condition} .*, <WatchRoleArn> \\(outputs of`);
  expect(foreign.stderr).toMatch(trust);
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
