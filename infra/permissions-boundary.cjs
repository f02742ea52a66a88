// The param permissionsBoundary limits every role of the stack.
const readParams = require("./params.cjs");

const roles = ["ScheduleRole", "TickRole", "WakeRole", "SyncRole", "WatchRole"];

module.exports = async (variables) => {
  const { permissionsBoundary, notifyArn } = await readParams(variables);
  if (permissionsBoundary === undefined) return {};
  const bounded = { Properties: { PermissionsBoundary: permissionsBoundary } };
  const all = notifyArn === undefined ? roles : [...roles, "NotifyRole", "NotifyScheduleRole"];
  return { extensions: Object.fromEntries(all.map((role) => [role, bounded])) };
};
