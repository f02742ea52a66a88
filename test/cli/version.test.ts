import { version as release } from "../../package.json";
import { storeOn } from "../../compose";
import { encodeShard } from "../../lib/table/items/shard-item";
import { fromItem } from "../../lib/table/items/attributes";
import type { Shard } from "../../lib/model/stored/shard";
import { deployedOf, skewWarning } from "../../cli/look/version";
import { ebb } from "./run-ebb";
import { now, signal, tableForTests } from "./table";

const { byHand, register, run, table } = tableForTests();

const shard = (cluster: string, heartbeat: number): Shard => ({
  ...{ cluster, from: "", to: null, version: 7, slot: heartbeat, heartbeat },
  ...{ behind: {}, entries: 1 },
});
const written = (cluster: string, heartbeat: number, by: object) =>
  byHand({ ...fromItem(encodeShard(shard(cluster, heartbeat))), writtenBy: by });
const client = `Client Version: v${release}\n`;

beforeAll(() => Promise.all(["prod", "test"].map(register)));

test("the client alone, without a table", async () => {
  expect(await ebb(["version", "--client"])).toEqual({ stdout: client, stderr: "", exitCode: 0 });
  const { stdout } = await ebb(["version", "--client", "-o", "json"]);
  const [major, minor] = release.split(".");
  expect(JSON.parse(stdout)).toEqual({
    clientVersion: {
      ...{ major, minor, gitVersion: `v${release}` },
      ...{ nodeVersion: process.version, platform: `${process.platform}/${process.arch}` },
    },
  });
});

test("without a table, the client's version comes before the error", async () => {
  expect(await ebb(["version"])).toEqual({ stdout: client, stderr: "error: this test has no table\n", exitCode: 1 });
});

test("before the first sync, the deployed version is unknown", async () => {
  const stderr =
    "error: the deployed version is unknown: no shard has been synced; see what `ebb status` and `ebb doctor` say\n";
  expect(await run(["version"])).toEqual({ stdout: client, stderr, exitCode: 1 });
});

test("the version that a sync writes into its shard", async () => {
  const store = storeOn(table(), { now: () => now });
  await store.createShard(shard("prod", now), signal);
  expect(await run(["version"])).toEqual({ stdout: `${client}Server Version: v${release}\n`, stderr: "", exitCode: 0 });
  const { stdout } = await run(["version", "-o", "yaml"]);
  expect(stdout).toContain(`serverVersion:\n  gitVersion: v${release}\n`);
  expect(await store.shards(signal)).toEqual([shard("prod", now)]);
});

test("another minor version is a skew, and another shard may have another version", async () => {
  await written("prod", now, { release: "0.9.1", version: 7 });
  await written("test", now - 1000, { release: "0.8.0", version: 7 });
  const { stdout, stderr, exitCode } = await run(["version"]);
  expect([stdout, exitCode]).toEqual([`${client}Server Version: v0.9.1\n`, 0]);
  const [major, minor] = release.split(".");
  expect(stderr).toBe(
    `Warning: version difference between client (${major}.${minor}) and server (0.9) exceeds the supported minor version skew of +/-0: use the same minor version for both\n` +
      "Warning: 1 shard was last synced by v0.8.0; see what `ebb status` and `ebb doctor` say\n",
  );
  expect((await run(["version", "--cluster", "test"])).stdout).toBe(`${client}Server Version: v0.8.0\n`);
});

test.each<[string, object]>([
  ["an ebb that does not record its version has written the item since", { release: "0.9.1", version: 6 }],
  ["the record is no version", { release: "\u001b[2J0.1.0", version: 7 }],
  ["the record is no text", { release: { 0: "9" }, version: 7 }],
  ["the record is no map", [7]],
])("the deployed version is unknown when %s", async (_when, by) => {
  await written("prod", now, by);
  const { stdout, stderr, exitCode } = await run(["version", "--cluster", "prod"]);
  expect([stdout, exitCode]).toEqual([client, 1]);
  expect(stderr).toBe(
    "error: the deployed version is unknown: it is one that does not record its version in the table\n",
  );
});

test("an unknown cluster is an error", async () => {
  const { stdout, stderr, exitCode } = await run(["version", "--cluster", "nope"]);
  expect([stdout, exitCode]).toEqual([client, 1]);
  expect(stderr).toContain('Error from server (NotFound): clusters.ebb.dev "nope" not found');
});

test("ten thousand shards: the newest one counts", () => {
  const writers = Array.from({ length: 10_000 }, (_, heartbeat) => {
    return { cluster: "prod", heartbeat, release: heartbeat === 9_999 ? "1.2.3-rc.1" : "1.2.2" };
  });
  expect(deployedOf(writers)).toEqual({ release: "1.2.3-rc.1", others: [{ release: "1.2.2", shards: 9_999 }] });
});

test.each([
  ["0.2.0", "0.2.9", false],
  ["0.2.0", "0.2.9-rc.1", false],
  ["0.2.0", "0.3.0", true],
  ["0.3.0", "0.2.0", true],
  ["1.2.0", "0.2.0", true],
])("client %s with server %s: a warning is %s", (ours, theirs, warns) => {
  expect(skewWarning(ours, theirs) !== undefined).toBe(warns);
});
