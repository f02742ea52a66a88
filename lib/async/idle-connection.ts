/**
 * Load balancers forget silent connections, the first after 60 s (NLB: 350 s). A request over such a connection hangs,
 * and a function that was frozen does not see it. So nobody uses one that has been silent for longer than this.
 */
export const idleConnectionMs = 55_000;
