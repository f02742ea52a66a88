import type { JsonClient, LightCommand } from "../../lib/aws/http/json-client";
import type { PostAnswer } from "../../lib/aws/http/post";

type AnyCommand = LightCommand<object, unknown>;

/** Runs `layer` around each call of the client, until the returned function is called. */
export function aroundCalls(
  client: Pick<JsonClient, "send">,
  layer: (next: () => Promise<unknown>, command: AnyCommand) => Promise<unknown>,
): () => void {
  const { send } = client;
  const around = async (command: AnyCommand, ...options: unknown[]) =>
    layer(() => send.call(client, command, ...(options as [])), command);
  client.send = around as JsonClient["send"];
  return () => void (client.send = send);
}

/** Runs `layer` around each attempt of a call, below the retries, until the returned function is called. */
export function aroundAttempts(
  { config }: Pick<JsonClient, "config">,
  layer: (next: () => Promise<PostAnswer>, operation: string, call: string) => Promise<PostAnswer>,
): () => void {
  const { post } = config;
  config.post = (request) => {
    const operation = request.headers["x-amz-target"]?.split(".")[1] ?? "";
    return layer(() => post(request), operation, request.headers["amz-sdk-invocation-id"] ?? "");
  };
  return () => void (config.post = post);
}
