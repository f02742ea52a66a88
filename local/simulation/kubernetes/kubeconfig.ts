import { stringify } from "yaml";

/** A kubeconfig file for one cluster and one user with a bearer token. */
export function kubeconfigOf(access: {
  readonly name: string;
  readonly endpoint: string;
  readonly certificateAuthorityData: string;
  readonly user: string;
  readonly token: string;
  readonly namespace: string;
}): string {
  const { name, endpoint, certificateAuthorityData, user, token, namespace } = access;
  return stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      "current-context": name,
      clusters: [{ name, cluster: { server: endpoint, "certificate-authority-data": certificateAuthorityData } }],
      users: [{ name: user, user: { token } }],
      contexts: [{ name, context: { cluster: name, user, namespace } }],
    },
    { lineWidth: 0 },
  );
}
