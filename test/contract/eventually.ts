import { until } from "../time/until";

/** For effects that follow a write within moments: an index of a table, a cache of an API server. */
export async function eventually(assertion: () => Promise<void>): Promise<void> {
  await until(() =>
    assertion().then(
      () => true,
      () => false,
    ),
  );
}
