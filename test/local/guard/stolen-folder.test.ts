import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ListTablesCommand } from "../../aws/commands";
import { parse } from "yaml";
import { dynamoClient } from "../../../lib/table/client";
import { demoBackends } from "../../../local/backends";
import { localRegion } from "../../../local/guard/signature";
import { openEmbeddedTable } from "../../../local/backends/table/embedded-table";
import { canariesIn } from "../../canaries/canary";
import { clientOf } from "../backends/kubernetes/client";

/** What a thief finds in the folder of an `ebb start` that ended, tried on the next run of the same folder. */
interface Kubeconfig {
  readonly clusters: readonly [{ cluster: { server: string; "certificate-authority-data": string } }];
  readonly users: readonly [{ user: { token: string } }];
}

let directory: string;
beforeAll(async () => (directory = await mkdtemp(join(tmpdir(), "ebb-stolen-"))));
afterAll(() => rm(directory, { recursive: true }));

async function start() {
  const embedded = await openEmbeddedTable({ directory: join(directory, "table") });
  const table = { client: embedded.client, name: embedded.table };
  const backends = await demoBackends(table, directory, embedded.credential);
  const { clusters, users } = parse(await readFile(backends.kubeconfig.file, "utf8")) as Kubeconfig;
  const { server: endpoint, "certificate-authority-data": certificateAuthorityData } = clusters[0].cluster;
  return {
    ...{ endpoint, certificateAuthorityData, token: users[0].user.token, table: embedded },
    async stop() {
      await backends.close();
      await embedded.close();
    },
  };
}

test("opens neither the table nor the cluster of the next run", async () => {
  const stolen = await start();
  await stolen.stop();
  for (const file of ["simulation.json", "simulation.journal"]) {
    const text = await readFile(join(directory, file)).catch(() => Buffer.alloc(0));
    expect([file, canariesIn(text)]).toEqual([file, []]);
  }

  const next = await start();
  try {
    const { endpoint, credential } = next.table;
    const thief = dynamoClient({ endpoint, region: localRegion, credentials: stolen.table.credential });
    await expect(thief.send(new ListTablesCommand({}))).rejects.toThrow(/expected the access key of this/);
    thief.destroy();
    expect(credential.secretAccessKey).not.toBe(stolen.table.credential.secretAccessKey);

    const pods = "/api/v1/namespaces/default/pods";
    const call = clientOf({ ...next, adminToken: stolen.token });
    expect((await call("GET", pods)).status).toBe(401);
    expect((await call("GET", pods, { token: next.token })).status).toBe(200);
    expect(next.certificateAuthorityData).not.toBe(stolen.certificateAuthorityData);
  } finally {
    await next.stop();
  }
});
