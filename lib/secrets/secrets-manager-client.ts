/** Loaded on first use: a deployment of EKS clusters has no secrets. */
export { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
