import { join } from "node:path";
import type { Starter } from "./starter";

/** What to do after `ebb init`, as a terminal shows it. */
export function nextSteps({ cluster, spec, open }: Starter, directory: string): string {
  const file = (name: string) => join(directory, name);
  const fillIn = open.filter((field) => field !== "auth").map((field) => `spec.${field}`);
  const steps = [
    ...(fillIn.length > 0
      ? [`Fill in ${fillIn.join(" and ")} in ${file("cluster.yaml")}; its comments say where to find them.`]
      : []),
    ...secretStep(spec.auth),
    "Let ebb in: kubectl apply -f infra/kubernetes/rbac.yaml (its first lines say how ebb becomes a user).",
    `ebb apply -f ${file("cluster.yaml")}`,
    `ebb doctor ${cluster} says whether everything that it needs is there.`,
    `Make ${file("hpa-queue.yaml")} your own, then ebb diff -f and ebb apply -f it.`,
    "ebb get hpa shows it at work.",
  ];
  return `\nNext:\n${steps.map((step, index) => `  ${index + 1}. ${step}`).join("\n")}`;
}

function secretStep(auth: Starter["spec"]["auth"]): readonly string[] {
  if (auth.type === "token")
    return [
      `Store a bearer token: aws secretsmanager create-secret --name ${auth.secret} --secret-string file://token`,
    ];
  if (auth.type === "clientCertificate")
    return [
      `Store {"certificate": "<PEM>", "key": "<PEM>"}: aws secretsmanager create-secret --name ${auth.secret} --secret-string file://certificate.json`,
    ];
  return [];
}
