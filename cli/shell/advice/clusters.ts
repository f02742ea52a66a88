import { type Advice, aws, type Command, ebb, ebbAlone, kubectl, pipe, row, typed } from "../../../lib/model/advice";
import { type ClusterName, editCluster, editHpa, entryWords } from "./entries";
import type { HpaName } from "../../../lib/model/hpa-key";

export interface SecretOf extends ClusterName {
  readonly secret: string;
}

interface Api extends ClusterName {
  readonly api: string;
}

export interface Grant extends ClusterName {
  readonly subject: readonly string[];
  /** In AWS; must join the group ebb first. */
  readonly role?: Omit<EksRole, "cluster">;
}

interface Lists extends Grant {
  readonly rights: string;
  /** No namespace has enough targets for its own list. */
  readonly everywhere: boolean;
}

export interface EksRole extends ClusterName {
  readonly eks: { readonly clusterName: string; readonly region: string };
  readonly roleArn: string;
}

export interface Hpas extends HpaName {
  readonly more: number;
}

const editFirst = ({ more, ...first }: Hpas): Advice => ({
  parts: [editHpa(first), more === 0 ? "" : `, and those of ${more} more`],
});

const apiServices = ({ cluster }: ClusterName): Command => kubectl(cluster, "get", "apiservices");

/** An ARN names its region. */
function store({ secret }: SecretOf): Command {
  const file = "file://secret.json";
  if (!secret.startsWith("ssm:"))
    return aws(
      "secretsmanager",
      "put-secret-value",
      "--secret-id",
      secret,
      "--secret-string",
      file,
      ...regionOf(secret),
    );
  const name = secret.slice("ssm:".length);
  const words = ["--name", name, "--type", "SecureString", "--overwrite", "--value", file];
  return aws("ssm", "put-parameter", ...words, ...regionOf(name));
}

function regionOf(name: string): readonly string[] {
  const [arn, , , region = ""] = name.split(":");
  return arn === "arn" ? ["--region", region] : [];
}

function create(secret: SecretOf): Command {
  const [program] = store(secret).pipe;
  if (program === undefined || secret.secret.startsWith("ssm:")) return store(secret);
  const words = program.words.map(
    (word) => ({ "put-secret-value": "create-secret", "--secret-id": "--name" })[word] ?? word,
  );
  return { pipe: [{ ...program, words }] };
}

/** Nothing can be written to a secret marked for deletion. */
function restoreFirst({ secret }: SecretOf): Advice {
  if (secret.startsWith("ssm:")) return { parts: [] };
  const restore = aws("secretsmanager", "restore-secret", "--secret-id", secret, ...regionOf(secret));
  return { parts: [" (before that, if it is about to be deleted: ", restore, ")"] };
}

const doctor = ({ cluster }: ClusterName): Command => ebb("doctor", cluster);

/** The functions have other credentials than this machine. */
const asTheySay = ({ cluster }: ClusterName): Advice => ({
  parts: ["whether the functions can, their last syncs say: ", ebb("status", "--cluster", cluster)],
});

function accessEntry(verb: string, { region, clusterName }: EksRole["eks"], roleArn: string): Command {
  const entry = ["--principal-arn", roleArn, "--kubernetes-groups", "ebb"];
  return aws("eks", verb, "--region", region, "--cluster-name", clusterName, ...entry);
}

const rbac = ({ cluster, subject }: Grant, ...more: readonly string[]) =>
  pipe(ebb("rbac", cluster, ...more, ...subject), kubectl(cluster, "apply", "-f", "-"));

export const clusterRows = {
  letRoleIn: row<EksRole>`let the role in, as the group ebb: ${({ eks, roleArn }) =>
    accessEntry("create-access-entry", eks, roleArn)}`,
  letFunctionsIn: row<ClusterName>`let the role that ebb uses here in, as the group ebb; for the functions, their own roles (docs/deploy.md, Grants to ebb's roles)`,
  letPollerIn: row<EksRole>`let the zero-scale poller's role in as well, as the group ebb: ${({ eks, roleArn }) =>
    accessEntry("create-access-entry", eks, roleArn)}`,
  writeToken: row<SecretOf>`write a valid token into secret.json, with the endpoint that it is for, as ${({
    cluster,
  }) => ebbAlone("init", "--cluster", cluster, "new-entries")} says, then store it: ${store}`,
  writeCertificate: row<SecretOf>`write a valid certificate and its key into secret.json, with the endpoint that they are for (docs/deploy.md, Secrets), then store them: ${store}`,
  writeKubeconfig: row<SecretOf>`write a kubeconfig with valid credentials into secret.json, then store it: ${store}`,
  renewKubeconfig: row<{ readonly file: string }>`renew the credentials of the kubeconfig ${({ file }) => file}`,
  bindBasicUser: row<ClusterName>`let every user ask for their own rights, as Kubernetes does by default: ${({
    cluster,
  }) =>
    kubectl(
      cluster,
      ...["create", "clusterrolebinding", "system:basic-user"],
      ...["--clusterrole=system:basic-user", "--group=system:authenticated"],
    )}`,
  bindDiscovery: row<ClusterName>`let every user ask what the API server serves, as Kubernetes does by default: ${({
    cluster,
  }) =>
    kubectl(
      cluster,
      ...["create", "clusterrolebinding", "system:discovery"],
      ...["--clusterrole=system:discovery", "--group=system:authenticated"],
    )}`,
  createSecret: row<SecretOf>`write what it has to hold into secret.json (docs/deploy.md, Secrets), then create it: ${create}; or name the secret that there is: ${editCluster}`,
  writeSecret: row<SecretOf>`write what it has to hold into secret.json (docs/deploy.md, Secrets), then store it: ${store}${restoreFirst}; or correct the entry: ${editCluster}`,
  findEks: row<ClusterName & { readonly region: string }>`see which EKS clusters there are (${({ region }) =>
    aws("eks", "list-clusters", "--region", region)}), then correct clusterName or region: ${editCluster}`,
  correctEks: row<ClusterName>`correct clusterName, region or roleArn: ${editCluster}`,

  chooseCredentials: row<ClusterName>`choose AWS credentials that are valid, with --profile (${() =>
    aws("sts", "get-caller-identity")} says whose these are); ${asTheySay}`,
  chooseRights: row<ClusterName>`choose credentials that have this right, with --profile; ${asTheySay}`,
  chooseRegion: row<ClusterName>`choose the region of the table, with --region or AWS_REGION; ${asTheySay}`,
  reachAws: row<ClusterName>`check this machine's connection to AWS, then ask again: ${doctor}; ${asTheySay}`,
  setVariable: row<ClusterName>`set it in this shell too, then ask again: ${doctor}`,
  nameKubeconfig: row<ClusterName & { readonly file: string }>`if you trust it, name it (${({ file }) =>
    typed("export", `KUBECONFIG=${file}`)}), then ask again: ${doctor}`,
  askKubectl: row<{ readonly file: string; readonly context?: string | undefined }>`see why: ${({ file, context }) =>
    typed(
      ...["kubectl", "--kubeconfig", file, ...(context === undefined ? [] : ["--context", context])],
      ...["get", "--raw", "/version"],
    )}`,
  fixClusterEntry: row<ClusterName>`fix the cluster's entry: ${editCluster}`,
  checkEndpoint: row<ClusterName>`check that the endpoint is right (${({ cluster }) =>
    ebb(
      "get",
      ...entryWords("cluster", cluster),
      "-o",
      "yaml",
    )}), and that this machine can reach it: firewall, VPN, private endpoint`,
  setClock: row`find out which one is wrong (timedatectl), and let NTP set it`,

  installMetricsServer: row<ClusterName>`install metrics-server; ${apiServices} shows which APIs there are`,
  installCustomAdapter: row<ClusterName>`install an adapter such as prometheus-adapter; ${apiServices} shows which APIs there are`,
  installExternalAdapter: row<ClusterName>`install an adapter, or read the metric from one of ebb's sources (docs/metrics.md); ${apiServices} shows which APIs there are`,
  startAdapter: row<Api>`start the pods of the adapter again: ${({ cluster, api }) =>
    kubectl(cluster, "describe", "apiservice", api)} names its service, and says why it is not available`,

  scaleAnotherKind: row<Hpas>`only kinds with a scale subresource can be scaled: fix scaleTargetRef: ${editFirst}`,
  installTargetKind: row<Hpas>`install its CRD, or fix scaleTargetRef: ${editFirst}`,
  installObjectKind: row<Hpas>`install its CRD, or fix describedObject: ${editFirst}`,

  joinGroup: row<EksRole & Grant & { readonly rule: string }>`put the role into the group ebb: ${({ eks, roleArn }) =>
    accessEntry("update-access-entry", eks, roleArn)}; and grant this group all that the HPAs need: ${(grant) =>
    rbac(grant)}; this line needs ${({ rule }) => rule}`,
  grantRights: row<
    Grant & { readonly rule: string }
  >`grant all that the HPAs need: ${(grant) => rbac(grant)}; this line needs ${({ rule }) => rule}`,
  allowLists: row<Lists>`grant ${({ rights }) => rights} to save requests: ${({ everywhere, ...grant }) =>
    rbac(grant, ...(everywhere ? ["--cluster-wide"] : []), "--lists")}`,
};
