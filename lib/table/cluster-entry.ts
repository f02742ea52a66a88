import type { ClusterEntry, ClusterSpec } from "../api/entries";
import { fromItem, type Item } from "./attributes";
import { allOf, filledText, numberIn, onlyFields, problem, that, variants, wholeNumberIn } from "./checks";
import type { Check } from "./checks";
import type { Entry } from "./entry";
import { clusterPrefix } from "./schema";

/** The CLUSTER item that a user wrote. Its key is the cluster's name, or the whole pk where that holds none. */
export function decodeCluster(item: Item): Entry<ClusterEntry> {
  const { pk, spec } = fromItem(item);
  const badKey = clusterPkForm(pk, "pk");
  if (badKey !== undefined) return { key: nameIn(String(pk)), invalid: badKey };
  const name = nameIn(String(pk));
  const invalid = clusterSpec(spec, "spec");
  return invalid === undefined ? { key: name, value: { name, spec: spec as ClusterSpec } } : { key: name, invalid };
}

/** What stands for a cluster whose CLUSTER item is gone, or was never written. */
export function missingCluster(cluster: string, table: string): Entry<ClusterEntry> {
  const expected = `an item with pk "${clusterPrefix}${cluster}" and sk "CLUSTER" in table "${table}"`;
  return { key: cluster, invalid: `cluster ${JSON.stringify(cluster)}: expected ${expected}, got none` };
}

function nameIn(pk: string): string {
  return pk.startsWith(clusterPrefix) ? pk.slice(clusterPrefix.length) : pk;
}

/** "#" separates the cluster from the first key in a shard's sort key. */
const clusterPkForm = that(
  `"${clusterPrefix}<cluster>", a name without "#"`,
  (pk) => typeof pk === "string" && /^CLUSTER#[^#]+$/.test(pk) && pk.slice(clusterPrefix.length).trim() !== "",
);

const secret = filledText;

const oneKubeconfig: Check = (auth, at) => {
  const { secret, file } = auth as { secret?: unknown; file?: unknown };
  if (secret !== undefined && file !== undefined) return `${at}: expected either secret or file, got both`;
  return secret === undefined && file === undefined ? `${at}: expected secret or file, got neither` : undefined;
};

const roleArn = that(
  "the ARN of an IAM role (arn:aws:iam::<account>:role/<name>)",
  (value) => typeof value === "string" && /^arn:[\w-]+:iam::\d{12}:role\/\S+$/.test(value),
);

const auth = variants("type", {
  eks: onlyFields({ type: filledText, clusterName: filledText, region: filledText }, { roleArn }),
  token: onlyFields({ type: filledText, secret }),
  clientCertificate: onlyFields({ type: filledText, secret }),
  kubeconfig: allOf(onlyFields({ type: filledText }, { secret, file: filledText, context: filledText }), oneKubeconfig),
});

/** A token must not cross a network in the clear, so plain http is for this machine alone (a proxy, a simulated cluster). */
const endpoint = that(
  "https://host[:port][/path] (http only on this machine)",
  (value) => typeof value === "string" && isEndpoint(value),
);

function isEndpoint(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  const loopback = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  const bare = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  return bare && (url.protocol === "https:" || (url.protocol === "http:" && loopback));
}

const base64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;
const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;

const certificateAuthorityData = that(
  "base64 of a PEM certificate, as in a kubeconfig",
  (value) =>
    typeof value === "string" && base64.test(value) && pemCertificate.test(Buffer.from(value, "base64").toString()),
);

/** A day: what is larger was meant as milliseconds. */
const seconds = wholeNumberIn(0, 86_400);

const options = onlyFields(
  {},
  {
    syncPeriodSeconds: wholeNumberIn(3, 3600),
    tolerance: numberIn(0, 1),
    downscaleStabilizationSeconds: seconds,
    cpuInitializationPeriodSeconds: seconds,
    initialReadinessDelaySeconds: seconds,
  },
);

const endpointUnlessKubeconfig: Check = (spec, at) => {
  const { endpoint, auth } = spec as ClusterSpec;
  return endpoint === undefined && auth.type !== "kubeconfig"
    ? problem(`${at}.endpoint`, "https://host[:port][/path]", undefined)
    : undefined;
};

const clusterSpec = allOf(
  onlyFields({ auth }, { endpoint, certificateAuthorityData, tlsServerName: filledText, options }),
  endpointUnlessKubeconfig,
);
