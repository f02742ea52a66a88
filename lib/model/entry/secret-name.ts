import type { Problem } from "../check/problem";

/** In SSM, ":" begins a version. */
const plainName = /^[A-Za-z0-9_+=.@-]+$/;
const secretArn = /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:(.+)$/;
const parameterArn = /^arn:aws[a-z-]*:ssm:[a-z0-9-]+:\d{12}:parameter(\/.+)$/;

/** A secret belongs to the cluster that its name contains. The message does not quote it: people paste tokens here. */
export function secretNameProblem(cluster: string, secret: string): Problem | undefined {
  const path = "auth.secret";
  if (!plainName.test(cluster)) {
    const message =
      "expected a cluster's name of letters, digits and _+=.@- only, because the secret's name contains it, got another";
    return { path, message };
  }
  if (isOwn(secret, `ebb/${cluster}`)) return undefined;
  const names = `ebb/${cluster}, ebb/${cluster}/… (or its ARN), ssm:/ebb/${cluster} or ssm:/ebb/${cluster}/…`;
  return { path, message: `expected ${names}, got another name; a cluster uses only secrets named for it` };
}

function isOwn(secret: string, own: string): boolean {
  if (!secret.startsWith("ssm:")) {
    const name = secretArn.exec(secret)?.[1];
    // Secrets Manager adds "-" and six characters to an ARN: ebb/prod in an ARN may be another cluster's secret.
    return name === undefined ? secret === own || secret.startsWith(`${own}/`) : name.startsWith(`${own}/`);
  }
  const given = secret.slice("ssm:".length);
  const name = parameterArn.exec(given)?.[1] ?? given;
  return name === `/${own}` || name.startsWith(`/${own}/`) || name.startsWith(`/${own}:`);
}
