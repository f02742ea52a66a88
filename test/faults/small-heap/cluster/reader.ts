import { onThisMachine } from "../../../../lib/net/address";
import { openClusters } from "../../../../lib/cluster/clusters";
import { boundSecret } from "../../../cluster/connect";
import { isFault } from "../../../../lib/model/fault";
import { answerQuestions } from "../../../small-heap/answer-questions";

export interface Job {
  readonly urls: readonly string[];
  /** Reads which of the pods are busy by this annotation. */
  readonly annotation?: string;
}

/** By URL. */
export type Outcomes = readonly { readonly pods?: number; readonly fault?: string; readonly message?: string }[];

/** As Node 24 has it, on every version: small buffers are cut from blocks that live as long as the last of them. */
Buffer.poolSize = 64 * 1024;

/** Reads lists of pods from lying servers at the same time, as a function of 512 MB does: one cluster for each URL. */
answerQuestions(async ({ urls, annotation }: Job) => {
  const clusters = openClusters({
    secrets: (name) => {
      const endpoint = urls[Number(name.slice("ebb/c".length))] ?? "";
      return Promise.resolve(boundSecret({ endpoint }, { token: "t0k3n" }));
    },
    awsCredentials: () => Promise.reject(new Error("no AWS here")),
    now: () => Date.now(),
    addresses: onThisMachine,
    transport: { memoryBytes: 512 * 2 ** 20, timeoutMs: 60_000, idleTimeoutMs: 60_000 },
  });
  const turn = new AbortController();
  const outcomes: Outcomes = await Promise.all(
    urls.map(async (endpoint, index) => {
      const entry = {
        name: `c${index}`,
        spec: { endpoint, auth: { type: "token", secret: `ebb/c${index}` } },
      } as const;
      try {
        const cluster = await clusters.connect(entry, turn.signal);
        const pods =
          annotation === undefined
            ? await cluster.listPods("shop", "", turn.signal)
            : (await cluster.listWorkers({ namespace: "shop", selector: "", annotation }, turn.signal)).pods;
        return { pods: pods.length };
      } catch (error) {
        if (!isFault(error)) throw error;
        return { fault: error.kind, message: error.message };
      }
    }),
  );
  turn.abort();
  clusters.close();
  return { outcomes };
});
