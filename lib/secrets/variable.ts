import { Fault } from "../model/fault";

/** Only `ebb start` and commands have one: functions have no such variables. */
export type ReadVariable = (name: string) => string | undefined;

const prefix = "env:";
const ownName = /^EBB_SECRET_[A-Z0-9_]{1,200}$/;

export function isVariable(secret: string): boolean {
  return secret.startsWith(prefix);
}

/**
 * The author of an entry chooses the variable. So its name must be for ebb, and its value must say for which cluster
 * and endpoint it is: no entry gets AWS_SECRET_ACCESS_KEY.
 * @throws Fault "badEntry".
 */
export function readVariable(where: string, secret: string, read: ReadVariable | undefined): string {
  const name = secret.slice(prefix.length);
  // Does not quote the name: people paste a token here.
  if (!ownName.test(name))
    throw new Fault(
      "badEntry",
      `${where}: expected env:EBB_SECRET_ and A-Z, 0-9 and _, got another name: rename the variable, to EBB_SECRET_STATS for example`,
    );
  if (read === undefined)
    throw new Fault(
      "badEntry",
      `${where} ${secret}: expected a secret in Secrets Manager or SSM, got a variable, which only \`ebb start\` and commands on your machine read: put it into a secret, and name that`,
    );
  const value = read(name);
  if (value === undefined || value === "")
    throw new Fault(
      "badEntry",
      `${where} ${secret}: expected the variable ${name} in the environment of this process, got none: set it, and start ebb again`,
      { lack: "variable" },
    );
  return value;
}

/** @throws Fault "badEntry" unless the variable's value names this cluster: its own name has no room for it. */
export function requireOwnVariable(cluster: string, members: Readonly<Record<string, unknown>>, where: string): void {
  if (members["cluster"] === cluster) return;
  throw new Fault(
    "badEntry",
    `${where}: expected "cluster": ${JSON.stringify(cluster)} beside its endpoint, got ${members["cluster"] === undefined ? "none" : "another"}`,
  );
}
