import { Type } from "typebox";
import { ClusterAuth } from "./cluster-auth";
import { closed, filledText, wholeNumber } from "./fields";
import { EntryMeta } from "./metadata";

/** A day: what is larger was meant as milliseconds. */
const seconds = (description: string) => Type.Optional(wholeNumber(description, [0, 86_400]));

export const ControllerOptions = Type.Object(
  {
    syncPeriodSeconds: Type.Optional(
      wholeNumber("How often each HPA of the cluster is looked at, in seconds. Default 15.", [3, 3600], {
        default: 15,
      }),
    ),
    tolerance: Type.Optional(
      Type.Number({
        description: "How far a usage ratio may be from 1 before anything is scaled, as a fraction. Default 0.1.",
        minimum: 0,
        maximum: 1,
        default: 0.1,
        errorMessage: "a number from 0 to 1",
      }),
    ),
    downscaleStabilizationSeconds: seconds(
      "How long the highest recommendation holds a scale-down, in seconds, where an HPA's behavior does not say. Default 300.",
    ),
    cpuInitializationPeriodSeconds: seconds(
      "How long after its start a pod's CPU samples are read with care, in seconds. Default 300.",
    ),
    initialReadinessDelaySeconds: seconds(
      "How long after its start a pod that becomes unready counts as not yet ready, in seconds. Default 30.",
    ),
    mirrorEvents: Type.Optional(
      Type.Boolean({
        description:
          "Whether an HPA's events are shown on the object that it scales, too, as kubectl describe lists them. Needs the right to create and patch events. Default false.",
        default: false,
        errorMessage: "true or false",
      }),
    ),
  },
  {
    ...closed,
    title: "ControllerOptions",
    description:
      "kube-controller-manager's --horizontal-pod-autoscaler-* flags, for this cluster. Absent ones have upstream's defaults. " +
      "Source: https://kubernetes.io/docs/reference/command-line-tools-reference/kube-controller-manager/",
  },
);

export const ClusterSpec = Type.Object(
  {
    endpoint: Type.Optional(
      Type.String({
        description: "The API server: https://host[:port][/path]. Only a kubeconfig may give it instead.",
        pattern: "^(https://|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(?=[:/]|$))[^\\s/?#@][^\\s?#@]*$",
        errorMessage: "https://host[:port][/path] (http only on this machine)",
        examples: ["https://0123456789ABCDEF0123456789ABCDEF.gr7.eu-central-1.eks.amazonaws.com"],
      }),
    ),
    certificateAuthorityData: Type.Optional(
      Type.String({
        description:
          "The private CA that signed the API server's certificate: base64 of PEM, as in a kubeconfig. Absent: the system's roots. TLS is always verified.",
        pattern: "^[A-Za-z0-9+/\\s]+={0,2}\\s*$",
        errorMessage: "base64 of a PEM certificate, as in a kubeconfig",
      }),
    ),
    tlsServerName: Type.Optional(
      filledText("The name in the server's certificate, where it is not the endpoint's host."),
    ),
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

export const Cluster = Type.Object(
  {
    apiVersion: Type.Literal("ebb.dev/v1", { description: "The version of ebb's own kinds." }),
    kind: Type.Literal("Cluster", { description: "What this document is." }),
    metadata: EntryMeta("What HPAs and commands call the cluster (ebb.dev/cluster, --cluster)."),
    spec: ClusterSpec,
  },
  { ...closed, title: "Cluster", description: "A Kubernetes cluster whose HPAs ebb looks after." },
);
