/** What watching HPAs at zero may cost in a month, in $, if the deployment says nothing else (`watchBudget`). */
export const defaultWatchBudget = 20;
