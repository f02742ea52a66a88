import { row } from "../../model/advice";
import { describeKind } from "../description";
import { describedTcpFields } from "../fields/tcp-fields";
import { describedVariableFields } from "../fields/web-fields";
import { postgresqlFields } from "./fields";
import { fromPostgresql } from "./keda";
import { postgresql } from "./kind";
import { parsePostgresqlQuery } from "./postgresql-query";

export const describedPostgresql = describeKind(postgresql, postgresqlFields, {
  summary: "One number from one query of PostgreSQL.",
  parameters: {
    query:
      "One SQL statement that gives one row with one number. A placeholder ${name} becomes a parameter of the statement with the label var.name as its value. Required.",
    database: "The database. Required.",
    user: "The user, if it needs no password. Otherwise the secret has it.",
    absent: "The value if the query gives NULL or no row. Default error: the metric is unavailable.",
    address: "host:port of the server. Required, except with via.",
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
