import { row } from "../../model/advice";
import { describeKind } from "../description";
import { describedTcpFields, describedVariableFields } from "../fields/server-fields";
import { postgresqlFields, parsePostgresqlQuery } from "./postgresql-query";
import { postgresql } from "./kind";
import { type FromKeda, type KedaTrigger, literal, onlySet } from "../keda";

export const describedPostgresql = describeKind(postgresql, postgresqlFields, {
  summary: "One number from one query of PostgreSQL.",
  parameters: {
    query:
      "One SQL statement that gives one row with one number. A placeholder ${name} becomes a parameter with the label var.name. Required.",
    database: "The database. Required.",
    user: "The user, if it needs no password. Otherwise the secret has it.",
    absent: "The value for NULL or no row. Default error.",
    address: "The server as host:port. Required, except with via.",
    ...describedTcpFields,
    ...describedVariableFields,
  },
  parse: parsePostgresqlQuery,
  example: {
    address: "db.example.com:5432",
    database: "shop",
    secret: "ebb/prod/shop",
    query: "SELECT count(*) FROM jobs",
  },
  advice: row`check that the address answers and that the user may run the query (psql), which gives one row with one number`,
  iam: [],
  keda: { postgresql: fromPostgresql },
});

function fromPostgresql(trigger: KedaTrigger): FromKeda {
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
    trigger.note("sslmode", `was ${sslmode}: ebb always verifies the certificate and its name`, "step");
  return {
    parameters: onlySet({
      address: host === undefined ? undefined : `${host}:${port}`,
      database: part("dbName"),
      user: hasSecret ? undefined : trigger.text("userName"),
      tls: sslmode === "disable" ? false : undefined,
      query: literal(trigger.required("query")),
    }),
    target: trigger.required("targetQueryValue") ?? "",
  };
}
