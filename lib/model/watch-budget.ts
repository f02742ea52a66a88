/** $ a month for polling HPAs at zero (`watchBudget`). */
export const defaultWatchBudget = 20;
