// The param permissionsBoundary limits every role of the stack.
const readParams = require("./params.cjs");

const roles = ["ScheduleRole", "TickRole", "WakeRole", "SyncRole", "WatchRole"];

module.exports = async (variables) => {
  const { permissionsBoundary } = await readParams(variables);
  if (permissionsBoundary === undefined) return {};
  const bounded = { Properties: { PermissionsBoundary: permissionsBoundary } };
  return { extensions: Object.fromEntries(roles.map((role) => [role, bounded])) };
};
