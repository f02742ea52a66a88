// Lambda's concurrent executions: all functions of an account share them in a region.
const quota = "L-B99A9384";
/** What Lambda leaves to functions without a reservation, if the account has so many. */
const alwaysUnreserved = 100;
/** Beside sync: tick, wake and watch, one of each at a time. */
const always = 3;

/**
 * @param {{
 *   allowed: number,
 *   unreserved: number,
 *   reservedBefore: number,
 *   reserved: number,
 *   syncRuns: number,
 *   isProvisioned: boolean,
 *   hasNotify?: boolean,
 *   metrics?: { reserved: number },
 *   region: string,
 * }} account `reserved`: for tick. `reservedBefore`: by the last deployment, for every function.
 * `syncRuns`: how many of sync run at the same time
 * @returns {{ refuse?: string, warn?: string }}
 */
module.exports = function roomFor({
  allowed,
  unreserved,
  reservedBefore,
  reserved,
  syncRuns,
  isProvisioned,
  region,
  hasNotify = false,
  metrics,
}) {
  const reservedAll = reserved + (metrics?.reserved ?? 0);
  const others = always + (hasNotify ? 1 : 0) + (metrics?.reserved === 0 ? 1 : 0);
  const room = unreserved + reservedBefore - reservedAll;
  const ask =
    `Ask AWS for more: aws service-quotas request-service-quota-increase --region ${region} ` +
    `--service-code lambda --quota-code ${quota} --desired-value 1000`;
  const has = `this account allows ${allowed} concurrent executions in ${region}`;
  const least = Math.min(alwaysUnreserved, allowed);
  const params = reserved > 0 ? ["tickReservedConcurrency"] : [];
  if (metrics !== undefined && metrics.reserved > 0) params.push("metricsReservedConcurrency");
  if (reservedAll > 0 && room < least)
    return {
      refuse:
        `param ${params.join(" and ")}: ${has}, and Lambda takes a reservation only if ${least} stay without one: ` +
        `expected at most ${Math.max(0, unreserved + reservedBefore - least)}, got ${reservedAll}. ${ask}`,
    };
  const needed = syncRuns + others - (reserved > 0 ? 1 : 0);
  if (room >= needed) return {};
  const fits = Math.floor(room - needed + syncRuns);
  const name = isProvisioned ? "syncPollers" : "syncConcurrency";
  const value = isProvisioned ? `2,${Math.floor(fits / 10)}` : String(fits);
  const meanwhile = fits >= (isProvisioned ? 20 : 2) ? ` Until it has, deploy with --param="${name}=${value}".` : "";
  return {
    warn:
      `${has}, and ${room} are not reserved by other functions. ebb uses up to ${needed}: without them, slots are late or ` +
      `lost.${meanwhile} ${ask}`,
  };
};
