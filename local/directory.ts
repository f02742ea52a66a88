/** What ebb keeps in its directory. Other files in it are its user's own, and stay as they are. */
export const stored = {
  table: "table",
  run: "running.json",
  kubeconfig: "kubeconfig",
  awsCredentials: "aws-credentials",
  simulation: "simulation.json",
  journal: "simulation.journal",
  lock: "lock",
} as const;
