import { resolve } from "node:path";
import type { ClusterAuth } from "../../model/entry/entries";
import { Fault } from "../../model/fault";

/**
 * A kubeconfig that the person who started this run named. An entry alone makes ebb open no file and run no plugin.
 */
export interface GivenKubeconfig {
  readonly file: string;
  /** Absent: its current one. */
  readonly context?: string;
  readonly anyContext?: true;
}

type FileAuth = Extract<ClusterAuth, { type: "kubeconfig"; file: string }>;

/** @throws Fault "forbidden" unless the entry names a given kubeconfig, and its context. */
export function refuseUngiven({ file, context }: FileAuth, given: readonly GivenKubeconfig[]): void {
  const path = resolve(file);
  const isGiven = given.some(
    (one) => resolve(one.file) === path && (one.anyContext === true || one.context === context),
  );
  if (isGiven) return;
  const which = context === undefined ? "" : `, context ${context}`;
  const todo = "start ebb with --kubeconfig (and --context), or name the file in KUBECONFIG for a single command";
  throw new Fault(
    "forbidden",
    `auth.file ${file}${which}: expected the kubeconfig that this run was started with: ${todo}`,
    { lack: "kubeconfig" },
  );
}
