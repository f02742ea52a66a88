import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { closeAll } from "../lib/async/closing";
import { isMap } from "../lib/k8s/map";
import { stored } from "./directory";
import { isSame } from "../lib/secrets/same-secret";
import { type LocalCredential, proofOf } from "./guard/signature";
import { proofPath } from "./guard/guarded";
import { readPrivateFile, writePrivateFile } from "./guard/private-files";
import { isAlive } from "./backends/table/holder";

/** How other commands reach a running ebb: `ebb get` reads the table that `ebb start` holds. */
export interface RunFile {
  readonly pid: number;
  readonly endpoint: string;
  readonly table: string;
  /** For the table, and for a demo's queues. */
  readonly credential: LocalCredential;
  /** The run's kubeconfig; `context` absent: the current one. */
  readonly kubeconfig: { readonly file: string; readonly context?: string };
  /** Absent: queues are in AWS. */
  readonly sqs?: { readonly endpoint: string; readonly region: string };
}

export async function writeRunFile(directory: string, run: RunFile): Promise<void> {
  await writePrivateFile(join(directory, stored.run), `${JSON.stringify(run)}\n`);
  const { accessKeyId, secretAccessKey } = run.credential;
  const profile = `[ebb]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`;
  await writePrivateFile(join(directory, stored.awsCredentials), profile);
}

export async function removeRunFile(directory: string): Promise<void> {
  await closeAll([stored.run, stored.awsCredentials].map((name) => () => rm(join(directory, name), { force: true })));
}

/**
 * Undefined: no ebb runs there, or the server cannot prove that it is the file's. Rejects with a Fault if another user
 * could have written the file.
 */
export async function readRunFile(directory: string): Promise<RunFile | undefined> {
  const text = await readPrivateFile(directory, stored.run);
  const run = text === undefined ? undefined : decode(text);
  return run !== undefined && isAlive(run.pid) && (await isProven(run)) ? run : undefined;
}

/** Undefined: an older version's run, which is out of reach. */
function decode(text: string): RunFile | undefined {
  const run: unknown = JSON.parse(text);
  return isMap(run) && isMap(run["credential"]) && isMap(run["kubeconfig"]) ? (run as unknown as RunFile) : undefined;
}

const timeoutMs = 3_000;

/** After a kill, other processes may have the port and the process number. */
async function isProven({ endpoint, credential }: RunFile): Promise<boolean> {
  if (!/^http:\/\/127\.0\.0\.1:\d+$/.test(endpoint)) return false;
  const nonce = randomBytes(16).toString("hex");
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(`${endpoint}${proofPath}${nonce}`, { signal, redirect: "error" });
    return isSame(await answer.text(), proofOf(credential, nonce));
  } catch {
    return false;
  }
}
