import { type FromKeda, type KedaTrigger, onlySet } from "../keda";

/** postgresql: KEDA runs the same query. Its user and password go into the secret. */
export function fromPostgresql(trigger: KedaTrigger): FromKeda {
  trigger.activation("activationTargetQueryValue");
  for (const name of ["password", "connection"]) {
    if (trigger.text(name) !== undefined)
      trigger.note(name, "is not carried over: put it into a secret, and name that in the entry");
  }
  const [host, port] = [trigger.required("host"), trigger.text("port") ?? "5432"];
  const sslmode = trigger.text("sslmode");
  if (sslmode !== undefined && !["disable", "verify-full"].includes(sslmode))
    trigger.note("sslmode", `was ${sslmode}: ebb always verifies the certificate and its name`);
  return {
    parameters: onlySet({
      address: host === undefined ? undefined : `${host}:${port}`,
      database: trigger.required("dbName"),
      user: trigger.text("userName"),
      tls: sslmode === "disable" ? false : undefined,
      query: trigger.required("query"),
    }),
    target: trigger.required("targetQueryValue") ?? "",
  };
}
