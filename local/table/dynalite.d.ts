/** dynalite 4 has no types. These are the parts that ebb uses. */
declare module "dynalite" {
  import type { Server } from "node:http";

  interface Options {
    /** LevelDB's directory. Absent: in memory. */
    readonly path?: string;
    /** How long a table stays CREATING. Default 500. */
    readonly createTableMs?: number;
  }

  /** Its `close` also closes the database, after the operations in progress. */
  export default function dynalite(options?: Options): Server;
}

/** dynalite's own code looks up its functions here at each call. */
declare module "dynalite/db" {
  import type { AttributeValue } from "@aws-sdk/client-dynamodb";

  /**
   * A path of attribute names and list indexes, or an expression. A literal has no `args`, and its type as a member.
   */
  export type Operand = readonly (string | number)[] | Expression;

  export interface Expression {
    readonly type?: string;
    readonly args?: readonly Operand[];
  }

  export interface ConditionalRequest {
    readonly _condition?: { readonly expression: Expression };
  }

  const db: {
    /** Undefined or null if the condition holds. */
    checkConditional: (
      request: ConditionalRequest,
      stored: Record<string, AttributeValue> | undefined,
    ) => Error | null | undefined;
  };
  export default db;
}
