import { failure } from "../../../cli/shell/failure";
import { Fault } from "../../../lib/model/fault";
import { runEbb } from "../../../cli/program";
import { putCluster, putHpa } from "../../../local/entries";
import { openStore } from "../../../lib/table/store";
import { at, hpaWith } from "../../core/build";
import { ebb } from "../run-ebb";
import { signal, tableForTests } from "../table";
import { shard } from "./explained";

const { table, clear } = tableForTests();
const now = () => at(10);
const ask = (...args: readonly string[]) => ebb(["explain", ...args], { table: table(), now });
const store = () => openStore({ client: table().client, table: table().name, now });

const usage = `error: expected an HPA, a kind or a field of one, got nothing
Why an HPA has its size, and what comes next:
  ebb explain hpa NAME
What the fields of a kind mean:
  ebb explain cluster.spec
  ebb explain hpa.spec.behavior --recursive
`;

async function register(cluster: string, names: readonly string[], entries = names.length): Promise<void> {
  await putCluster(table(), cluster, { endpoint: "https://k8s.example.com", auth: { type: "token", secret: "t" } });
  const hpa = hpaWith();
  for (const name of names) await putHpa(table(), cluster, { ...hpa, metadata: { ...hpa.metadata, name } });
  await store().createShard({ ...shard, cluster, version: 1, entries }, signal);
}

afterEach(async () => {
  await clear("prod");
  await clear("dev");
  await clear("huge");
});

test("explain alone says what it takes, and lists the HPAs, if there are few, by commands that work", async () => {
  await register("prod", ["api", "web"]);
  const { stdout, stderr, exitCode } = await ask();
  expect([stdout, exitCode]).toEqual(["", 1]);
  expect(stderr).toBe(`${usage}The HPAs of this table:
  ebb explain hpa api -n shop
  ebb explain hpa web -n shop
`);
  for (const line of stderr.split("\n").filter((text) => / (?:hpa (?:api|web)|cluster\.|hpa\.)/.test(text))) {
    expect(await ask(...line.trim().split(" ").slice(2))).toMatchObject({ stderr: "", exitCode: 0 });
  }
});

test("in a table of several clusters, each command names its own, unless one is chosen", async () => {
  await register("prod", ["web"]);
  await register("dev", ["web"]);
  expect((await ask()).stderr).toBe(`${usage}The HPAs of this table:
  ebb explain hpa web -n shop --cluster dev
  ebb explain hpa web -n shop --cluster prod
`);
});

test("many HPAs are not listed, and not read", async () => {
  await register("huge", ["web"], 11);
  expect((await ask()).stderr).toBe(usage);
});

test("a table that has none, or cannot be read, leaves the help", async () => {
  expect(await ask()).toEqual({ stdout: "", stderr: usage, exitCode: 1 });
  for (const error of [failure("no table here"), new Fault("forbidden", "AccessDenied")]) {
    const said: string[] = [];
    const codes: number[] = [];
    const stderr = { write: (text: string) => void said.push(text) };
    await runEbb(["explain"], {
      ...{
        env: { EBB_CONFIG: "/nowhere/ebb.yaml" },
        stdin: [] as never,
        stdout: stderr as never,
        stderr: stderr as never,
      },
      ...{
        now,
        pause: () => Promise.resolve(),
        interrupted: signal,
        exitWith: (code: number) => void codes.push(code),
      },
      openTable: () => Promise.reject(error),
    });
    expect([said.join(""), codes]).toEqual([usage, [1]]);
  }
});
