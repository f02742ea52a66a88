import type { Caller } from "../../../cli/shell/advice/caller";

/** A person with `ebb` on the path who named the table by no option, and whose contexts are named as the clusters. */
export const plainCaller: Caller = {
  ebb: ["ebb"],
  flags: [],
  awsFlags: [],
  awsOnTable: { words: ["aws"], table: "ebb-prod" },
  kubectl: (cluster) => ["kubectl", "--context", cluster],
};
