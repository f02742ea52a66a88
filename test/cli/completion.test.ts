import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { invocation } from "../../cli/program";
import { type BuiltCommand, buildCommand } from "../how-to/build-command";
import { ebb } from "./run-ebb";
import { servedTableForTests } from "./table";

const { byHand, file, folder, run, table } = servedTableForTests();

beforeAll(async () => {
  const spec = { endpoint: "https://a.example", auth: { type: "token", secret: "s" } };
  await byHand({ pk: "CLUSTER#prod", sk: "CLUSTER", spec });
  await byHand({ pk: "CLUSTER#test", sk: "CLUSTER", spec });
  for (const key of ["default/web", "default/worker", "default/orders", "shop/web-shop"])
    await byHand({ pk: "CLUSTER#prod", sk: `HPA#${key}`, spec: {} });
  await byHand({ pk: "CLUSTER#test", sk: "HPA#default/probe", spec: {} });
  await byHand({ pk: "CLUSTER#prod", sk: "SOURCE#lag", spec: { kind: "sqs" } });
});

/** The candidates for the last word of a line; ":files" where a path fits. */
async function offered(line: string, env: Record<string, string> = {}): Promise<readonly string[]> {
  const { stdout, stderr, exitCode } = await run(["complete", "--", ...line.split(" ")], { env });
  expect([stderr, exitCode]).toEqual(["", 0]);
  const lines = stdout.trimEnd().split("\n");
  const values = lines.slice(0, -1).map((one) => one.split("\t")[0] ?? "");
  return lines.at(-1) === ":0" ? [...values, ":files"] : values;
}

test.each<[string, readonly string[]]>([
  ["des", ["describe"]],
  ["get ", ["hpa", "clusters", "sources", "events"]],
  ["get h", ["hpa"]],
  ["get hpa w", ["web", "worker"]],
  ["get hpa web w", ["worker"]],
  ["get hpa -n shop ", ["web-shop"]],
  ["-n shop get hpa ", ["web-shop"]],
  ["get hpa --namespace=shop ", ["web-shop"]],
  ["get hpa --cluster test ", ["probe"]],
  ["get hpa/w", ["hpa/web", "hpa/worker"]],
  ["get cluster ", ["prod", "test"]],
  ["delete source ", ["lag"]],
  ["get hpa -n s", ["shop"]],
  ["get hpa --cluster=p", ["prod"]],
  ["get hpa -n=s", ["shop"]],
  ["get hpa --output=cust", ["custom-columns=", "custom-columns-file="]],
  ["patch hpa web --type=", ["strategic", "merge", "json"]],
  ["wait hpa web --for c", ["condition=", "create"]],
  ["events --for hpa/wo", ["hpa/worker"]],
  ["get events --for=hpa/wo", ["hpa/worker"]],
  ["events --types=W", ["Warning"]],
  ["events -o j", ["json", "jsonpath=", "jsonpath-as-json=", "jsonpath-file="]],
  ["wait ", ["hpa", "clusters", "sources"]],
  ["dry-run hpa web ", ["orders", "worker", "probe", "on", "off"]],
  ["dry-run hpa web o", ["orders", "on", "off"]],
  ["autoscale d", ["deployment"]],
  ["autoscale ", ["deployment", "statefulset", "replicaset", "replicationcontroller"]],
  ["get hpa --cluster t", ["test"]],
  ["get hpa --col", ["--color"]],
  ["get hpa --color ", ["auto", "always", "never"]],
  ["get hpa -o y", ["yaml"]],
  ["get nonsense ", []],
  ["nonsense ", []],
  ["explain h", ["hpa"]],
  ["explain ", ["hpa", "cluster", "source"]],
  ["explain hpa o", ["orders"]],
  ["explain hpa.s", ["hpa.spec", "hpa.status"]],
  ["explain cluster.spec.auth.s", ["cluster.spec.auth.secret"]],
  ["explain nonsense.s", []],
  ["explain hpa/wo", ["hpa/worker"]],
  ["explain hpa web wo", ["worker"]],
  ["explain -f ", [":files"]],
  ["pause hpa w", ["web", "worker"]],
  ["edit ", ["hpa", "clusters", "sources"]],
  ["autoscale deployment ", []],
  ["doctor t", ["test"]],
  ["completion z", ["zsh"]],
  ["apply -f ", [":files"]],
  ["validate ", [":files"]],
])("ebb %s", async (line, values) => {
  expect(await offered(line)).toEqual(values);
});

test("contexts come from the config file", async () => {
  const path = await file("contexts: { dev: { table: a }, prod: { table: b } }");
  expect(await offered("get hpa --context ", { EBB_CONFIG: path })).toEqual(["dev", "prod"]);
});

test("without a table, nothing is offered and nothing printed", async () => {
  expect(await ebb(["complete", "--", "get", "hpa", ""])).toEqual({ stdout: ":4\n", stderr: "", exitCode: 0 });
});

test.each(["bash", "zsh", "fish", "powershell"])("the script for %s asks ebb", async (shell) => {
  const { stdout, exitCode } = await run(["completion", shell]);
  expect(stdout).toMatch(/ebb complete|"complete", "--"/);
  expect(exitCode).toBe(0);
});

test.each<[string, ReturnType<typeof invocation>]>([
  ["/usr/bin/ebb", { name: "ebb", args: ["get"] }],
  ["/repo/dist/ebb.js", { name: "ebb", args: ["get"] }],
  ["/usr/bin/kubectl-ebb", { name: "kubectl ebb", args: ["get"] }],
  ["/usr/bin/kubectl_complete-ebb", { name: "kubectl ebb", args: ["complete", "--", "get"] }],
])("called as %s", (path, expected) => {
  expect(invocation(["node", path, "get"])).toEqual(expected);
});

describe("a real bash", () => {
  let built: BuiltCommand;
  let bin: string;
  beforeAll(() => {
    bin = join(folder(), "bin");
    mkdirSync(bin);
    built = buildCommand();
    symlinkSync(built.command, join(bin, "ebb"));
  }, 60_000);

  /** bash-completion's function that the script needs, for machines that do not have the package. */
  const wordsByRef = `_get_comp_words_by_ref() { cword=$COMP_CWORD; words=("\${COMP_WORDS[@]}"); cur="\${words[cword]}"; prev="\${words[cword-1]}"; }
    __ltrimcolonaddons() { :; }; compopt() { :; }`;

  test("completes verbs, and names from the table", async () => {
    const { config } = table().client;
    const [endpoint, credentials] = await Promise.all([config.endpoint(), config.credentials()]);
    const env = {
      ...process.env,
      ...built.env,
      PATH: `${bin}:${process.env["PATH"] ?? ""}`,
      AWS_ENDPOINT_URL: `http://127.0.0.1:${endpoint?.port ?? ""}`,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_REGION: "us-east-1",
      EBB_TABLE: table().name,
      EBB_CONFIG: "/nowhere",
    };
    const script = `${wordsByRef}
      source <(ebb completion bash)
      source <(ebb completion bash)
      for line in "ebb desc" "ebb get hpa wor" "ebb get hpa --cluster=te" "ebb get hpa --cluster=" "ebb apply -f x"; do
        COMP_LINE="$line"; COMP_POINT=\${#line}; COMP_WORDS=($line); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
        function=$(complete -p ebb | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        COMPREPLY=(); $function; echo "\${COMPREPLY[@]}"
      done
      complete -p ebb`;
    const path = join(folder(), "complete.bash");
    writeFileSync(path, script);
    const complete = () => promisify(execFile)("bash", ["--norc", path], { env });
    let ran = await complete();
    // A table that answers late gives no names, and a person presses Tab again.
    const hasNames = () =>
      ["worker", "prod test"].every((line) => ran.stdout.split("\n").some((one) => one.trim() === line));
    while (!hasNames()) ran = await complete();
    // In a shell, "=" begins a word of its own, so "test" alone completes "--cluster=te"; after -f, bash offers files.
    expect(ran.stdout.split("\n").map((line) => line.trim())).toEqual([
      "describe",
      "worker",
      "test",
      "prod test",
      "",
      "complete -o default -F __ebb_complete ebb",
      "",
    ]);
    expect(ran.stderr).toBe("");
  }, 60_000);
});
