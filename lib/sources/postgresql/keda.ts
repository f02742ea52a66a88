import { type FromKeda, type KedaTrigger, onlySet } from "../keda";

/** postgresql: KEDA runs the same query. Its user and password go into the secret. */
export function fromPostgresql(trigger: KedaTrigger): FromKeda {
  trigger.activation("activationTargetQueryValue");
  const hasSecret = trigger.secret("password", "password");
  const isWhole = trigger.lost(
    "connection",
    "is not carried over: write its parts into the entry (address, database) and a secret (username, password)",
  );
  const part = (name: string) => (isWhole ? trigger.text(name) : trigger.required(name));
  const [host, port] = [part("host"), trigger.text("port") ?? "5432"];
  // A secret holds the user as well.
  if (hasSecret) trigger.secret("userName", "username");
  const sslmode = trigger.text("sslmode");
  if (sslmode !== undefined && !["disable", "verify-full"].includes(sslmode))
    trigger.note("sslmode", `was ${sslmode}: ebb always verifies the certificate and its name`);
  return {
    parameters: onlySet({
      address: host === undefined ? undefined : `${host}:${port}`,
      database: part("dbName"),
      user: hasSecret ? undefined : trigger.text("userName"),
      tls: sslmode === "disable" ? false : undefined,
      query: trigger.required("query"),
    }),
    target: trigger.required("targetQueryValue") ?? "",
  };
}
