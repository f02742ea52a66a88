import { type Static, Type } from "typebox";
import { closed, filledText } from "./fields";

const secret = (what: string) =>
  filledText(
    `${what}: the name or ARN of a secret in Secrets Manager, or ssm:<parameter name>. The secret itself never stands in the table.`,
    { examples: ["ebb/prod", "ssm:/ebb/prod"] },
  );

export const EksAuth = Type.Object(
  {
    type: Type.Literal("eks", {
      description: "A token made of the function's own AWS identity, as aws eks get-token makes it.",
    }),
    clusterName: filledText("The EKS cluster's name in AWS.", { examples: ["prod"] }),
    region: filledText("The EKS cluster's AWS region.", { examples: ["eu-central-1"] }),
    roleArn: Type.Optional(
      Type.String({
        description:
          "An IAM role to assume first, as for a cluster in another account. Default: the function's own role.",
        pattern: "^arn:[\\w-]+:iam::\\d{12}:role/\\S+$",
        errorMessage: "the ARN of an IAM role (arn:aws:iam::<account>:role/<name>)",
      }),
    ),
  },
  { ...closed, title: "EKS", description: "An EKS cluster, by IAM." },
);

export const TokenAuth = Type.Object(
  {
    type: Type.Literal("token", { description: "A bearer token, such as a service account's." }),
    secret: secret("The token and nothing else"),
  },
  { ...closed, title: "Token", description: "A bearer token." },
);

export const ClientCertificateAuth = Type.Object(
  {
    type: Type.Literal("clientCertificate", { description: "A client certificate." }),
    secret: secret('JSON, {"certificate": "<PEM>", "key": "<PEM>"}'),
  },
  { ...closed, title: "Client certificate", description: "A client certificate and its key." },
);

const kubeconfigFields = Type.Object(
  {
    type: Type.Literal("kubeconfig", { description: "A kubeconfig, which may give endpoint and CA, too." }),
    secret: Type.Optional(secret("The kubeconfig as YAML or JSON")),
    file: Type.Optional(
      filledText("The kubeconfig's path, where ebb runs on this machine (npm start). Not in a function."),
    ),
    context: Type.Optional(filledText("Which of its contexts. Default: its current-context.")),
  },
  {
    ...closed,
    title: "Kubeconfig",
    description: "A kubeconfig, by exactly one of secret and file.",
    if: { required: ["file"] },
    then: { not: { required: ["secret"] }, errorMessage: "either secret or file" },
    else: { required: ["secret"], errorMessage: "secret or file" },
  },
);

/** Of secret and file exactly one stands in a valid entry. */
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
  description: "As whom ebb speaks to the API server. infra/kubernetes/rbac.yaml holds the rights that it needs.",
  required: ["type"],
  discriminator: { propertyName: "type" },
  oneOf: variants,
});
