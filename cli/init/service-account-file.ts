/** The user of `auth.type: token`, with the same objects as infra/kubernetes/service-account.yaml. */
export const serviceAccountFile = `# A user for ebb: a service account whose token does not expire. At first, it may do nothing. To revoke the token, delete the Secret.
apiVersion: v1
kind: Namespace
metadata:
  name: ebb
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: ebb
  namespace: ebb
automountServiceAccountToken: false
---
apiVersion: v1
kind: Secret
metadata:
  name: ebb-token
  namespace: ebb
  annotations: { kubernetes.io/service-account.name: ebb }
type: kubernetes.io/service-account-token
`;
