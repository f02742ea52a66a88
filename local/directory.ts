/** In ebb's directory. Other files there are the user's own. */
export const stored = {
  table: "table",
  run: "running.json",
  kubeconfig: "kubeconfig",
  awsCredentials: "aws-credentials",
  simulation: "simulation.json",
  journal: "simulation.journal",
  lock: "lock",
} as const;
