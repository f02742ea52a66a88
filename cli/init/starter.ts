import type { ClusterSpec } from "../../lib/api/entries";

/** What starter files are made from. */
export interface Starter {
  /** The cluster's name in the table. */
  readonly cluster: string;
  readonly namespace: string;
  readonly spec: ClusterSpec;
  /** What in `spec` only stands for what the user has to fill in. */
  readonly open: readonly ("endpoint" | "certificateAuthorityData" | "auth")[];
}

/** Where in the folder the schemas are that the files name; a dot keeps them out of sight. */
export const schemaFolder = ".ebb-schema";

export const modeline = (schema: string) => `# yaml-language-server: $schema=${schemaFolder}/${schema}\n`;
