import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { buildCommand, type BuiltCommand } from "../how-to/build-command";
import { sitDown } from "../how-to/follow";
import { needsCluster, readPage } from "../how-to/page";
import { listedPages, pages } from "../how-to/pages";
import { startApiServer, type ApiServer } from "./servers/api-server";
import { startControllerManager } from "./servers/controller-manager";
import { startMoto } from "./servers/emulator";
import { installed } from "./servers/installed";
import { deployment, deployments } from "./servers/workloads";

/**
 * Every page of docs/how-to, followed as a reader would follow it. Those that need a cluster of the reader's own and
 * kubectl have real ones. The others have a demo each, and then one demo for all of them, from the first to the last.
 */
let apiServer: ApiServer;
/** The pages' cluster is its context "prod". Its current one is another cluster, that no page may touch. */
let kubeconfig: string;
let built: BuiltCommand | undefined;
let emulator: Readonly<Record<string, string>>;
const ending: (() => unknown)[] = [];

beforeAll(async () => {
  apiServer = await startApiServer();
  ending.push(() => apiServer.stop());
  kubeconfig = withOtherContext(apiServer.kubeconfig);
  const controllers = await startControllerManager(apiServer, {
    controllers: ["deployment-controller", "replicaset-controller"],
  });
  ending.push(() => controllers.stop());
  const moto = await startMoto();
  ending.push(() => moto.stop());
  emulator = moto.env;
  await apiServer.admin.create(deployments, deployment("web", 2));
}, 180_000);

function withOtherContext(file: string): string {
  const config = JSON.parse(readFileSync(file, "utf8")) as {
    readonly clusters: readonly object[];
    readonly contexts: readonly { readonly context: { readonly user: string } }[];
  };
  const [own] = config.contexts;
  if (own === undefined) throw new Error(`${file}: expected a context`);
  const elsewhere = { name: "elsewhere", context: { ...own.context, cluster: "elsewhere" } };
  const written = `${file}-of-the-reader`;
  const text = JSON.stringify({
    ...config,
    "current-context": elsewhere.name,
    clusters: [...config.clusters, { name: "elsewhere", cluster: { server: "https://127.0.0.1:1" } }],
    contexts: [{ ...own, name: "prod" }, elsewhere],
  });
  writeFileSync(written, text, { mode: 0o600 });
  return written;
}

/** Jest begins concurrent tests before the hooks. */
const command = () => (built ??= buildCommand());

afterAll(async () => {
  for (const end of ending.reverse()) await end();
});

test.each(pages.filter(([, text]) => needsCluster(text)))(
  "%s",
  async (_, text) => {
    const reader = await sitDown({
      command: command().command,
      path: [dirname(installed().kubectl)],
      env: { ...emulator, KUBECONFIG: kubeconfig },
      start: ["--kubeconfig", kubeconfig, "--context", "prod", "--cluster", "prod", "--sync-period", "3"],
    });
    try {
      for (const step of readPage(text, ["sh", "shell"])) await reader.follow(step);
    } finally {
      await reader.leave();
    }
  },
  300_000,
);

test.concurrent.each(pages.filter(([, text]) => !needsCluster(text)))(
  "%s, beside a demo of its own",
  async (_, text) => {
    const reader = await sitDown(command());
    try {
      for (const step of readPage(text)) await reader.follow(step);
    } finally {
      await reader.leave();
    }
  },
  300_000,
);

test("the pages beside one demo, one after another", async () => {
  const texts = new Map(pages);
  const reader = await sitDown(command());
  try {
    for (const name of listedPages) {
      const text = texts.get(name) ?? "";
      if (needsCluster(text)) continue;
      for (const step of readPage(text))
        await reader.follow(step).catch((cause: unknown) => {
          throw new Error(`${name}: ${String(cause)}`, { cause });
        });
    }
  } finally {
    await reader.leave();
  }
}, 600_000);
