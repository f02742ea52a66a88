// The param permissionsBoundary limits every role of the stack.
const readParams = require("./params.cjs");

const roles = ["ScheduleRole", "TickRole", "WakeRole", "SyncRole", "WatchRole"];

module.exports = async (variables) => {
  const { permissionsBoundary, notifyArn, metricsTokenArn } = await readParams(variables);
  if (permissionsBoundary === undefined) return {};
  const bounded = { Properties: { PermissionsBoundary: permissionsBoundary } };
  const ofNotify = notifyArn === undefined ? [] : ["NotifyRole", "NotifyScheduleRole"];
  const ofMetrics = metricsTokenArn === undefined ? [] : ["MetricsRole"];
  return { extensions: Object.fromEntries([...roles, ...ofNotify, ...ofMetrics].map((role) => [role, bounded])) };
};
