import { Fault } from "../api/errors";

/** The region a client really asks: the query's, or the one that the SDK found. Rejects with a Fault when there is none. */
export async function regionOf(client: { readonly config: { region(): Promise<string> } }): Promise<string> {
  try {
    return await client.config.region();
  } catch (cause) {
    throw new Fault("badEntry", "parameter region: expected it, or AWS_REGION in the environment, got neither", {
      cause,
    });
  }
}
