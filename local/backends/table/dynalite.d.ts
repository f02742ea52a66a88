/** The parts that ebb uses: dynalite 4 has no types. */
declare module "dynalite/db" {
  import type { AttributeValue } from "@aws-sdk/client-dynamodb";

  export type Item = Record<string, AttributeValue>;

  /** A refused request's error has a status and the answer's body. Others are the files'. */
  export type Callback<T> = (error?: Error | null, result?: T) => void;

  /** LevelDB makes a batch of writes together or not at all. */
  export type Write =
    | { readonly type: "put"; readonly key: string; readonly value: unknown }
    | { readonly type: "del"; readonly key: string };

  export interface Part {
    get(key: string, callback: Callback<Item>): void;
    put(key: string, value: unknown, callback: Callback<void>): void;
    del(key: string, callback: Callback<void>): void;
    /** `run` gets a function that unlocks before it calls back. */
    lock(key: string, run: (release: <T>(callback: Callback<T>) => Callback<T>) => void): void;
  }

  export interface TableDescription {
    readonly TableName: string;
    readonly TableArn: string;
  }

  type GetTable = ((name: string, callback: Callback<TableDescription>) => void) &
    ((name: string, onlyActive: boolean, callback: Callback<TableDescription>) => void);

  export interface Store {
    readonly db: {
      open(): Promise<void>;
      close(): Promise<void>;
      batch(writes: readonly Write[]): Promise<void>;
    };
    readonly tableDb: { awsAccountId: string; awsRegion: string };
    readonly getTable: GetTable;
    readonly getItemDb: (table: string) => Part;
    readonly getIndexDb: (type: string, table: string, index: string) => Part;
  }

  interface Options {
    /** Absent: in memory. */
    readonly path?: string;
    /** The time that a table stays CREATING. */
    readonly createTableMs?: number;
  }

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

  /** dynalite's own code looks up its functions here at each call. */
  const db: {
    create(options: Options): Store;
    /** Undefined or null if the condition holds. */
    checkConditional: (request: ConditionalRequest, stored: Item | undefined) => Error | null | undefined;
    createKey(item: Item, table: TableDescription): string;
    itemSize(item: Item): number;
    validateKey(key: Item, table: TableDescription): Error | null | undefined;
    validationError(message: string): Error;
  };
  export default db;
}

declare module "dynalite/validations" {
  import type { Store } from "dynalite/db";

  export interface Validation {
    readonly types: Readonly<Record<string, unknown>>;
    readonly custom?: (input: object, store: Store) => string | undefined;
  }

  const validations: {
    /** Drops members outside of `types`. @throws SerializationException */
    checkTypes(input: object, types: Validation["types"]): Record<string, unknown>;
    /** Adds the parsed expressions to the input. @throws ValidationException */
    checkValidations(input: object, types: Validation["types"], custom: Validation["custom"], store: Store): void;
  };
  export default validations;
}

declare module "dynalite/validations/*" {
  import type { Validation } from "dynalite/validations";

  const validation: Validation;
  export default validation;
}

declare module "dynalite/actions/*" {
  import type { Callback, Store } from "dynalite/db";

  const action: (store: Store, input: object, callback: Callback<unknown>) => void;
  export default action;
}
