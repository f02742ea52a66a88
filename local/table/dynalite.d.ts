/** dynalite 4 brings no types; this is what is used of it. */
declare module "dynalite" {
  import type { Server } from "node:http";

  interface Options {
    /** LevelDB's directory; in memory when absent. */
    readonly path?: string;
    /** How long a table stays CREATING; default 500. */
    readonly createTableMs?: number;
  }

  /** Its `close` also closes the database, after operations under way. */
  export default function dynalite(options?: Options): Server;
}

/** dynalite's own code looks its functions up here at each call. */
declare module "dynalite/db" {
  import type { AttributeValue } from "@aws-sdk/client-dynamodb";

  /** A path of attribute names and list indexes, or an expression: a literal is one without `args`, with its type as a member. */
  export type Operand = readonly (string | number)[] | Expression;

  export interface Expression {
    readonly type?: string;
    readonly args?: readonly Operand[];
  }

  export interface ConditionalRequest {
    readonly _condition?: { readonly expression: Expression };
  }

  const db: {
    /** Undefined or null when the condition holds. */
    checkConditional: (
      request: ConditionalRequest,
      standing: Record<string, AttributeValue> | undefined,
    ) => Error | null | undefined;
  };
  export default db;
}
