import { setTimeout as sleep } from "node:timers/promises";
import type { ApiServer } from "./api-server";

export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly containers: readonly {
      readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
    }[];
  };
}

export interface RunningPod {
  readonly pod: Pod;
  readonly address: string;
}

export interface Pods {
  running(): readonly RunningPod[];
  stop(): Promise<void>;
}

interface Given {
  /** Starts a pod's process, and returns what stops it. */
  readonly start: (address: string) => Promise<() => void>;
  /** Called when the pods that run are others. */
  readonly changed: (running: readonly RunningPod[]) => void;
}

const pods = "/api/v1/namespaces/default/pods";

/**
 * Runs the pods of the namespace "default", which no kubelet does here: each gets a loopback address of its own, is
 * started there, and is Running and ready until it is deleted. Addresses are not used twice.
 */
export function runPods(apiServer: ApiServer, { start, changed }: Given): Pods {
  const running = new Map<string, RunningPod & { readonly end: () => void }>();
  const list = () => [...running.values()];
  let started = 0;
  let stopped = false;

  async function run(pod: Pod): Promise<void> {
    const { name } = pod.metadata;
    started += 1;
    const address = `127.${1 + (process.pid % 250)}.0.${started}`;
    running.set(name, { pod, address, end: await start(address) });
    const now = new Date().toISOString();
    const status = {
      phase: "Running",
      podIP: address,
      podIPs: [{ ip: address }],
      startTime: now,
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: now }],
    };
    const answer = await apiServer.admin.send("PATCH", `${pods}/${name}/status`, { status });
    // 404: it was deleted at once.
    if (answer.status !== 200 && answer.status !== 404) throw new Error(JSON.stringify(answer.body));
  }

  async function follow(): Promise<void> {
    const { items } = await apiServer.admin.get<{ items: readonly Pod[] }>(pods);
    const there = new Set(items.map(({ metadata }) => metadata.name));
    const gone = [...running].filter(([name]) => !there.has(name));
    const fresh = items.filter(({ metadata }) => !running.has(metadata.name));
    for (const [name, { end }] of gone) {
      end();
      running.delete(name);
    }
    for (const pod of fresh) await run(pod);
    if (gone.length + fresh.length > 0) changed(list());
  }

  const following = (async () => {
    while (!stopped) {
      await follow();
      await sleep(250);
    }
  })();
  return {
    running: list,
    async stop() {
      stopped = true;
      await following.finally(() => {
        for (const { end } of running.values()) end();
      });
    },
  };
}
