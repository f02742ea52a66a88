import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openNamedTable } from "../../cli/shell/connect/open-table";
import { putCluster } from "../../local/entries";
import { holdDirectory } from "../../local/hold-directory";
import { stored } from "../../local/directory";
import { openEmbeddedTable } from "../../local/backends/table/embedded-table";

let directory = "";
const settings = (directory: string) => ({
  ...{ table: undefined, region: undefined, profile: undefined, cluster: undefined },
  ...{ directory, namespace: "default", kubeconfigs: [] },
});
const umask = process.umask();

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "ebb-kept-"));
});

afterEach(() => {
  process.umask(umask);
  rmSync(directory, { recursive: true, force: true });
});

test("a command on a stopped run's table leaves nothing there that others can read", async () => {
  process.umask(0o077);
  const created = await openEmbeddedTable({ directory: join(directory, stored.table) });
  await created.close();
  process.umask(0o022);
  const opened = await openNamedTable(settings(directory));
  await putCluster(opened.table, "prod", { auth: { type: "kubeconfig", file: "/nowhere" } });
  await opened.close();
  const held = await holdDirectory(directory);
  await held.close();
  expect(held.wasOpen).toBe(false);
});
