import { ownConnections } from "../sdk/bounded-answers";

/** Two attempts of at most 4 s. A repeated one has the same ids. */
export const transport = {
  maxAttempts: 2,
  requestHandler: {
    connectionTimeout: 1_500,
    requestTimeout: 4_000,
    throwOnRequestTimeout: true,
    socketTimeout: 4_000,
    ...ownConnections(10),
  },
};
