import { isMap } from "../../../../lib/k8s/map";
import { type Fields, type Note, isOfKeda, settingText, takeFrom, withoutEffect } from "./left-over";

interface Found {
  readonly field: string;
  readonly text: string;
}

export interface Authentication {
  take(name: string): Found | undefined;
  left(): readonly Note[];
}

export type FindAuthentication = (reference: {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}) => Fields | undefined;

export function authenticationsIn(objects: readonly Fields[], defaultNamespace: string): FindAuthentication {
  return ({ kind, name, namespace }) =>
    objects.find((object) => {
      const metadata = isMap(object["metadata"]) ? object["metadata"] : {};
      const isThere =
        kind === "ClusterTriggerAuthentication" || (metadata["namespace"] ?? defaultNamespace) === namespace;
      return object["kind"] === kind && isOfKeda(object) && metadata["name"] === name && isThere;
    });
}

const text = (item: Fields, name: string) => settingText(item[name]) ?? "";

/** Upstream: TriggerAuthenticationSpec. */
const providers: Readonly<Record<string, { readonly list?: string; readonly where: (item: Fields) => string }>> = {
  secretTargetRef: { where: (item) => `in the Secret ${text(item, "name")}, key ${text(item, "key")}` },
  configMapTargetRef: { where: (item) => `in the ConfigMap ${text(item, "name")}, key ${text(item, "key")}` },
  env: { where: (item) => `the environment variable ${text(item, "name")}${ofContainer(item)}` },
  filePath: { where: (item) => `in the file ${text(item, "path")} of KEDA's operator` },
  boundServiceAccountToken: { where: (item) => `a token of the ServiceAccount ${text(item, "serviceAccountName")}` },
  hashiCorpVault: { list: "secrets", where: (item) => `in Vault, ${text(item, "path")}, key ${text(item, "key")}` },
  azureKeyVault: { list: "secrets", where: (item) => `in Azure Key Vault, secret ${text(item, "name")}` },
  gcpSecretManager: { list: "secrets", where: (item) => `in GCP Secret Manager, secret ${text(item, "id")}` },
  awsSecretManager: { list: "secrets", where: (item) => `in AWS Secrets Manager, secret ${text(item, "name")}` },
  awsParameterStore: { list: "parameters", where: (item) => `in the Parameter Store as ${text(item, "name")}` },
};

function ofContainer(item: Fields): string {
  return text(item, "containerName") === "" ? "" : ` of the container ${text(item, "containerName")}`;
}

/** `path`: the trigger's authenticationRef. */
export function readAuthentication(object: Fields, path: string): Authentication {
  const spec = takeFrom(object["spec"], path);
  const found = new Map<string, Found>();
  for (const [provider, { list, where }] of Object.entries(providers)) {
    const given = spec.take(provider);
    const items = list === undefined ? given : isMap(given) ? given[list] : undefined;
    for (const item of Array.isArray(items) ? items.filter(isMap) : []) {
      const name = text(item, "parameter");
      found.set(name, { field: `${path}[${name}]`, text: where(item) });
    }
  }
  const identity = takeFrom(spec.take("podIdentity"), `${path}.podIdentity`);
  return {
    take(name) {
      const one = found.get(name);
      found.delete(name);
      return one;
    },
    left: () => [
      ...identityNotes(identity, `${path}.podIdentity`),
      ...[...found.values()].map(({ field, text: where }) => ({
        field,
        text: `was ${where}: it is not carried over, because no entry and no secret has such a member`,
        harm: "credential" as const,
      })),
      ...spec.left(),
    ],
  };
}

function identityNotes(identity: ReturnType<typeof takeFrom>, path: string): readonly Note[] {
  const provider = settingText(identity.take("provider")) ?? "none";
  if (provider === "none") return identity.left();
  const isOfAws = provider === "aws" || provider === "aws-eks";
  const said = isOfAws
    ? "grant the functions' role the right to read the metric"
    : "ebb has an identity in AWS only, so put a credential into a secret";
  // The functions' own role reads, whichever KEDA's was.
  const left = isOfAws ? identity.left().map(({ field }) => withoutEffect(field)) : identity.left();
  return [{ field: path, text: `was ${provider}: ${said}`, harm: isOfAws ? "step" : "credential" }, ...left];
}
