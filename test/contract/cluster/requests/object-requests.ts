import { deployment, type ScalableKind } from "../../../cluster/contract-objects";
import type { ApiAnswer, ApiServerFixture, arrangedServer } from "../api-server";

export interface Served {
  readonly server: Awaited<ReturnType<typeof arrangedServer>>;
  readonly fixture: ApiServerFixture;
}

/** Objects to ask for in the contract's namespace, and what an answer says. */
export function asking(served: () => Served, prefix: string) {
  let names = 0;
  const place = (kind: ScalableKind = deployment) => kind.collection(served().server.namespace);
  const send = (...call: Parameters<ApiServerFixture["api"]>) => served().fixture.api(...call);
  const newName = () => `${prefix}-${++names}`;
  return {
    place,
    send,
    newName,
    /** Its path. */
    create: async (kind: ScalableKind = deployment, name = newName()) => {
      await served().server.create(kind, name, 1);
      return `${place(kind)}/${name}`;
    },
    said: ({ status, body }: ApiAnswer) => {
      const { reason, message } = body as { readonly reason?: string; readonly message?: string };
      return { status, reason, message };
    },
    isThere: async (path: string) => (await send("GET", path)).status === 200,
  };
}

export const nameIn = (path: string): string => path.split("/").at(-1) ?? "";

/** A body for the methods that have one. */
export const emptyBody = (method: string): unknown => (["POST", "PUT", "PATCH"].includes(method) ? {} : undefined);
