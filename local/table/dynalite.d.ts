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
