import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openNamedTable } from "../../cli/shell/connect/open-table";
import { newCredential } from "../../local/guard/signature";
import { chooseDirectory, clusterDirectory, demoCluster } from "../../local/stored-tables";
import { writeRunFile } from "../../local/run-file";
import { openEmbeddedTable } from "../../local/backends/table/embedded-table";

let home = "";
beforeEach(async () => {
  home = join(await mkdtemp(join(tmpdir(), "ebb-kept-")), ".ebb");
});
afterEach(() => rm(join(home, ".."), { recursive: true }));

const own = (cluster: string) => clusterDirectory(cluster, home);
async function withTables(...directories: readonly string[]): Promise<void> {
  for (const directory of directories) await mkdir(join(directory, "table"), { recursive: true, mode: 0o700 });
}

test("nothing is kept yet: the demo's directory", async () => {
  expect(await chooseDirectory(undefined, home)).toEqual({ directory: home });
});

test("the only table, wherever it is", async () => {
  await withTables(own("default"));
  expect(await chooseDirectory(undefined, home)).toEqual({ directory: own("default") });
  expect(await chooseDirectory("other", home)).toEqual({ directory: own("default") });
});

test("after the demo, a cluster of one's own: the chosen cluster's table, or else a choice", async () => {
  await withTables(home, own("prod"), own("default"));
  expect(await chooseDirectory("prod", home)).toEqual({ directory: own("prod") });
  expect(await chooseDirectory(demoCluster, home)).toEqual({ directory: home });
  expect(await chooseDirectory(undefined, home)).toEqual({ ambiguous: [home, own("default"), own("prod")] });
  await expect(
    openNamedTable({
      table: undefined,
      directory: home,
      ambiguous: [home, own("prod")],
      region: undefined,
      profile: undefined,
      cluster: undefined,
      namespace: "default",
      kubeconfigs: [],
    }),
  ).rejects.toThrow(
    `${home} and ${own("prod")} have a table each: choose one with --directory, or by its cluster with --cluster`,
  );
});

test("the one whose ebb runs", async () => {
  await withTables(home, own("default"));
  const credential = newCredential();
  const embedded = await openEmbeddedTable({ directory: join(own("default"), "table"), credential });
  try {
    const run = { pid: process.pid, endpoint: embedded.endpoint, table: "ebb", credential, kubeconfig: { file: "k" } };
    await writeRunFile(own("default"), run);
    expect(await chooseDirectory(undefined, home)).toEqual({ directory: own("default") });
  } finally {
    await embedded.close();
  }
});

test.each([
  ["prod", "prod"],
  ["arn:aws:eks:eu-west-1:123456789012:cluster/prod", "arn%3Aaws%3Aeks%3Aeu-west-1%3A123456789012%3Acluster%2Fprod"],
  ["..", "%2E%2E"],
  ["../../etc", "%2E%2E%2F..%2Fetc"],
])("the folder of the cluster %s stays below", (cluster, folder) => {
  expect(own(cluster)).toBe(join(home, "clusters", folder));
});
