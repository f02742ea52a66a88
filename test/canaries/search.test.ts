import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stored } from "../../local/directory";
import { newCredential } from "../../local/guard/signature";
import { putCluster } from "../../local/entries";
import { openEmbeddedTable } from "../../local/backends/table/embedded-table";
import { ebb } from "../cli/run-ebb";
import { makeCertificates } from "../cluster/certificates";
import { canary } from "./canary";
import { takeRecord } from "./run-record";
import searchTheRun from "./search-the-run";
import { ownPlaces } from "./search-folder";
import { planted } from "./watch-writes";

/** The search that guards every run of the tests: it finds a secret wherever a test may write one. */
const secret = canary("bite");
const run = process.env["EBB_TEST_RECORD"];
let folder: string;

/** A record of its own, so that this run does not fail. */
beforeEach(async () => {
  process.env["EBB_TEST_RECORD"] = `${run}-of-the-search`;
  folder = await mkdtemp(join(tmpdir(), "ebb-search-"));
});
afterEach(async () => {
  planted(folder);
  await rm(folder, { recursive: true, force: true });
  takeRecord();
  process.env["EBB_TEST_RECORD"] = run;
});

/** A secret in a child's arguments was put there by its test; this one comes from its environment. */
const child = ["-e", "process.stdout.write(process.env.SECRET)"];
const env = { SECRET: secret };

test.each<[string, () => Promise<unknown> | void, RegExp]>([
  [
    "what a test prints",
    () => void process.stderr.write(`${secret}, which a test of the search prints\n`),
    /stderr: c4n4ry-bite/,
  ],
  ["what the command prints", () => ebb([secret]), /ebb c4n4ry-bite-c4n4ry: .*unknown command/],
  [
    "the output of a child",
    () => once(spawn(process.execPath, child, { env }), "close"),
    /the output of .*node: c4n4ry/,
  ],
  [
    "the output of a child that is waited for",
    () => void spawnSync(process.execPath, child, { env }),
    /output of .*node/,
  ],
  ["a file in a folder that is removed", () => removed(secret), /some\/file: a secret in a file/],
  [
    "base64, as a kubeconfig has it",
    () => removed(Buffer.from(`{"token": "${secret}"}`).toString("base64")),
    /some\/file/,
  ],
  ["a secret that ebb made up", () => removed(newCredential().secretAccessKey), /some\/file/],
  ["a private key", async () => removed(String((await makeCertificates()).server.key)), /some\/file/],
  ["an item of a table on disk", () => tableWith(secret), /table\/\d+\.(log|ldb): a secret in a file/],
  [
    "a file of ebb's that is not for secrets",
    () => file("simulation.json", secret),
    /simulation\.json: a secret in a file/,
  ],
  ["a folder that is left behind", () => file("left", secret), /left: a secret in a file/],
])("%s", async (_case, write, says) => {
  await write();
  expect(searchTheRun).toThrow(says);
});

test("the places of ebb start are its own names", () => {
  expect(ownPlaces).toEqual([stored.run, stored.awsCredentials, stored.kubeconfig]);
});

test.each<[string, () => Promise<unknown>]>([
  ["the files that ebb start keeps for its user", () => file("running.json", secret)],
  ["a place that the test named", () => (planted(join(folder, "kube")), file("kube/config", secret))],
  ["a text like a secret's beginning", () => removed("ebbsecret, -----BEGIN PRIVATE KEY-----")],
])("not in %s", async (_case, write) => {
  await write();
  expect(searchTheRun).not.toThrow();
});

async function file(name: string, text: string): Promise<void> {
  await mkdir(join(folder, name, ".."), { recursive: true });
  await writeFile(join(folder, name), text);
}

async function removed(text: string): Promise<void> {
  await file("some/file", text);
  await rm(join(folder, "some"), { recursive: true });
  expect(existsSync(join(folder, "some"))).toBe(false);
}

async function tableWith(name: string): Promise<void> {
  const directory = join(folder, "table");
  const embedded = await openEmbeddedTable({ directory });
  const table = { client: embedded.client, name: embedded.table };
  await putCluster(table, "prod", { auth: { type: "kubeconfig", file: name } });
  await embedded.close();
  await rm(directory, { recursive: true });
}
