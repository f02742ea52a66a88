import { readFile } from "node:fs/promises";
import type { ClusterAuth } from "../../model/entry/entries";
import { Fault, errorText } from "../../model/fault";
import type { EpochMs } from "../../k8s/time";
import { renewing, type Authenticator } from "../../net/credential";
import { type GivenKubeconfig, refuseUngiven } from "./given-kubeconfig";
import type { KubeconfigAccess } from "./kubeconfig-auth";
import type { ReadSecret } from "../../secrets/secrets";

export interface Kubeconfig extends Pick<KubeconfigAccess, "server" | "certificateAuthority" | "tlsServerName"> {
  readonly authenticator: Authenticator;
}

/** The kubeconfig's user caches its credential until it expires. */
const ASK_MS = 30_000;

/**
 * Reads again when a credential was refused. Only a file in `kubeconfigs` may run plugins and name other files. Rejects
 * with a Fault.
 */
export async function openKubeconfig(
  auth: Extract<ClusterAuth, { type: "kubeconfig" }>,
  deps: {
    readonly secrets: ReadSecret;
    readonly now: () => EpochMs;
    readonly kubeconfigs?: readonly GivenKubeconfig[];
  },
  signal: AbortSignal,
): Promise<Kubeconfig> {
  if ("file" in auth) refuseUngiven(auth, deps.kubeconfigs ?? []);
  const { readKubeconfig } = await import("./kubeconfig-auth");
  const read = async (limit: AbortSignal): Promise<KubeconfigAccess> => {
    const { context } = auth;
    const source =
      "file" in auth ? await fromFile(auth.file, limit) : await fromSecret(auth.secret, deps.secrets, limit);
    return readKubeconfig({ ...source, ...(context === undefined ? {} : { context }) });
  };
  let access = await read(signal);
  const first = addressOf(access);
  const authenticator = renewing(async (limit, fresh) => {
    if (fresh) access = await read(limit);
    // This connection still goes to the first server, and the new credential is for another.
    if (addressOf(access) !== first)
      throw new Fault(
        "unauthorized",
        "the kubeconfig now names another server, which ebb connects to within 10 minutes",
      );
    const until = deps.now() + ASK_MS;
    return { credential: await access.credential(), until };
  }, deps.now);
  return { ...access, authenticator };
}

function addressOf({ server, certificateAuthority, tlsServerName }: KubeconfigAccess): string {
  return JSON.stringify([server, certificateAuthority, tlsServerName]);
}

async function fromFile(file: string, signal: AbortSignal) {
  const where = `auth.file ${file}`;
  try {
    return { text: await readFile(file, { encoding: "utf8", signal }), where, file };
  } catch (cause) {
    const why = errorText(cause);
    throw new Fault(signal.aborted ? "timeout" : "badEntry", `${where}: expected a readable kubeconfig: ${why}`, {
      cause,
    });
  }
}

async function fromSecret(name: string, secrets: ReadSecret, signal: AbortSignal) {
  return { text: await secrets(name, signal), where: `auth.secret ${name}` };
}
