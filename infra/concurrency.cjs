// How many invocations run at the same time: of sync by its queue's pollers, and of tick. The framework's own
// properties know no provisioned pollers, and no "none".
const error = require("./param-error.cjs");
const readParams = require("./params.cjs");

/** Lambda's ranges (API_ScalingConfig, API_ProvisionedPollerConfig). */
const ranges = { concurrency: [2, 1_000], least: [2, 200], most: [2, 10_000] };

const isWithin = (value, [from, to]) => Number.isInteger(value) && value >= from && value <= to;

/** The queue's pollers scale by themselves up to a number of invocations, or there are so many of them all the time. */
function pollersOf({ syncConcurrency, syncPollers }) {
  if (syncPollers.length === 0) {
    const MaximumConcurrency = Number(syncConcurrency);
    if (!isWithin(MaximumConcurrency, ranges.concurrency))
      throw error("syncConcurrency", "a whole number from 2 to 1000", syncConcurrency);
    return { ScalingConfig: { MaximumConcurrency } };
  }
  const [MinimumPollers, MaximumPollers] = syncPollers.map(Number);
  const isPair = syncPollers.length === 2 && MinimumPollers <= MaximumPollers;
  if (!isPair || !isWithin(MinimumPollers, ranges.least) || !isWithin(MaximumPollers, ranges.most))
    throw error("syncPollers", "two numbers such as 2,10: at least 2 to 200, at most 2 to 10000", syncPollers.join());
  // Lambda takes one of the two, and an empty value removes the one that the last deployment set.
  return { ScalingConfig: {}, ProvisionedPollerConfig: { MinimumPollers, MaximumPollers } };
}

function reservedOf(tickReservedConcurrency) {
  const reserved = Number(tickReservedConcurrency);
  if (!Number.isInteger(reserved) || reserved < 0)
    throw error("tickReservedConcurrency", "a whole number, or 0 for none", tickReservedConcurrency);
  // Lambda never starts a function with a reservation of 0.
  return reserved === 0 ? {} : { ReservedConcurrentExecutions: reserved };
}

module.exports = async (variables) => {
  const { syncConcurrency, syncPollers, tickReservedConcurrency } = await readParams(variables);
  return {
    extensions: {
      SyncEventSourceMappingSQSSlotQueue: { Properties: pollersOf({ syncConcurrency, syncPollers }) },
      TickLambdaFunction: { Properties: reservedOf(tickReservedConcurrency) },
    },
  };
};
