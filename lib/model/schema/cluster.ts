import { type Static, Type } from "typebox";
import { closed, filledText, type TypeOf, wholeNumber } from "../../k8s/schema/fields";
import { EntryMeta } from "../../k8s/schema/metadata";

const secret = (what: string) =>
  filledText(`A secret named for this cluster: ${what}.`, { examples: ["ebb/prod", "ssm:/ebb/prod"] });

export const EksAuth = Type.Object(
  {
    type: Type.Literal("eks", {
      description: "A token from the function's own AWS identity, as aws eks get-token makes it.",
    }),
    clusterName: filledText(
      "The EKS cluster's name: the entry's own, unless the cluster's tag ebb.dev/cluster names the entry.",
      { examples: ["prod"] },
    ),
    region: filledText("The EKS cluster's AWS region.", { examples: ["eu-central-1"] }),
    roleArn: Type.Optional(
      Type.String({
        description:
          "An IAM role to assume first, with the external id ebb/<cluster>. Default: the function's own role.",
        pattern: "^arn:[\\w-]+:iam::\\d{12}:role/\\S+$",
        errorMessage: "the ARN of an IAM role (arn:aws:iam::<account>:role/<name>)",
      }),
    ),
  },
  { ...closed, title: "EKS", description: "An EKS cluster, with IAM." },
);

export const TokenAuth = Type.Object(
  {
    type: Type.Literal("token", { description: "A bearer token, such as a service account's." }),
    secret: secret("JSON with endpoint and certificateAuthorityData as in spec, and token"),
  },
  { ...closed, title: "Token", description: "A bearer token." },
);

export const ClientCertificateAuth = Type.Object(
  {
    type: Type.Literal("clientCertificate", { description: "A client certificate." }),
    secret: secret("JSON with endpoint and certificateAuthorityData as in spec, and certificate and key as PEM"),
  },
  { ...closed, title: "Client certificate", description: "A client certificate and its key." },
);

const kubeconfigFields = Type.Object(
  {
    type: Type.Literal("kubeconfig", { description: "A kubeconfig, which may also give the endpoint and the CA." }),
    secret: Type.Optional(secret("the kubeconfig as YAML or JSON, without commands (exec) and paths of files")),
    file: Type.Optional(
      filledText(
        "The kubeconfig's path. Only the ebb that was started with this file reads it (ebb start --kubeconfig).",
      ),
    ),
    context: Type.Optional(filledText("Which of its contexts to use. Default: its current-context.")),
  },
  {
    ...closed,
    title: "Kubeconfig",
    description: "A kubeconfig. Set either secret or file.",
    if: { required: ["file"] },
    then: { not: { required: ["secret"] }, errorMessage: "either secret or file" },
    else: { required: ["secret"], errorMessage: "secret or file" },
  },
);

type KubeconfigAuth = { type: "kubeconfig"; context?: string } & ({ secret: string } | { file: string });
export const KubeconfigAuth = Type.Unsafe<KubeconfigAuth>(kubeconfigFields);

const variants = [EksAuth, TokenAuth, ClientCertificateAuth, kubeconfigFields];

export const ClusterAuth = Type.Unsafe<
  | Static<typeof EksAuth>
  | Static<typeof TokenAuth>
  | Static<typeof ClientCertificateAuth>
  | Static<typeof KubeconfigAuth>
>({
  type: "object",
  title: "ClusterAuth",
  description:
    "How ebb authenticates to the API server. `ebb init` prints how ebb becomes this user, and `ebb rbac` the rights that it needs.",
  required: ["type"],
  discriminator: { propertyName: "type" },
  oneOf: variants,
});
export type ClusterAuth = TypeOf<typeof ClusterAuth>;

/** At most a day: more was probably meant as milliseconds. */
const seconds = (description: string) => Type.Optional(wholeNumber(description, [0, 86_400]));

export const ControllerOptions = Type.Object(
  {
    syncPeriodSeconds: Type.Optional(
      wholeNumber("How often ebb syncs each HPA of the cluster, in seconds. Default 15.", [3, 3600], {
        default: 15,
      }),
    ),
    tolerance: Type.Optional(
      Type.Number({
        description: "How far a usage ratio may be from 1 before an HPA scales. Default 0.1.",
        minimum: 0,
        maximum: 1,
        default: 0.1,
        errorMessage: "a number from 0 to 1",
      }),
    ),
    downscaleStabilizationSeconds: seconds(
      "How many seconds the highest recommendation holds back a scale-down, if behavior does not say. Default 300.",
    ),
    cpuInitializationPeriodSeconds: seconds(
      "How many seconds after a pod's start ebb may skip its CPU samples. Default 300.",
    ),
    initialReadinessDelaySeconds: seconds(
      "How many seconds after its start an unready pod counts as not yet ready. Default 30.",
    ),
    mirrorEvents: Type.Optional(
      Type.Boolean({
        description:
          "Whether ebb also writes an HPA's events to its target, for kubectl describe. Needs the right to create and patch events. Default false.",
        default: false,
        errorMessage: "true or false",
      }),
    ),
  },
  {
    ...closed,
    title: "ControllerOptions",
    description:
      "kube-controller-manager's --horizontal-pod-autoscaler-* flags, for this cluster. An absent field has upstream's default. " +
      "Source: https://kubernetes.io/docs/reference/command-line-tools-reference/kube-controller-manager/",
  },
);
export type ControllerOptions = TypeOf<typeof ControllerOptions>;

export const ClusterSpec = Type.Object(
  {
    endpoint: Type.Optional(
      Type.String({
        description: "The API server: https://host[:port][/path]. Required, unless a kubeconfig gives it.",
        pattern: "^(https://|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(?=[:/]|$))[^\\s/?#@][^\\s?#@]*$",
        errorMessage: "https://host[:port][/path] (http only on this machine)",
        examples: ["https://0123456789ABCDEF0123456789ABCDEF.gr7.eu-central-1.eks.amazonaws.com"],
      }),
    ),
    certificateAuthorityData: Type.Optional(
      Type.String({
        description:
          "The private CA of the API server's certificate: base64 of PEM, as in a kubeconfig. Default: the system's root CAs.",
        pattern: "^[A-Za-z0-9+/\\s]+={0,2}\\s*$",
        errorMessage: "base64 of a PEM certificate, as in a kubeconfig",
      }),
    ),
    tlsServerName: Type.Optional(filledText("The name in the server's certificate, if it is not the endpoint's host.")),
    auth: ClusterAuth,
    options: Type.Optional(ControllerOptions),
  },
  {
    ...closed,
    title: "ClusterSpec",
    description: "How to reach a cluster, and its controller options.",
    if: { properties: { auth: { properties: { type: { const: "kubeconfig" } } } } },
    else: { required: ["endpoint"], properties: { endpoint: { errorMessage: "https://host[:port][/path]" } } },
  },
);
export type ClusterSpec = TypeOf<typeof ClusterSpec>;

export const ClusterDocument = Type.Object(
  {
    apiVersion: Type.Literal("ebb.dev/v1", { description: "The version of ebb's own kinds." }),
    kind: Type.Literal("Cluster", { description: "The kind of this document." }),
    metadata: EntryMeta("The cluster's name, as HPAs and commands use it (ebb.dev/cluster, --cluster)."),
    spec: ClusterSpec,
  },
  { ...closed, title: "Cluster", description: "A Kubernetes cluster whose workloads ebb scales." },
);
