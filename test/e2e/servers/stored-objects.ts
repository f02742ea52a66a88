import type { ApiServer } from "./api-server";

/** Puts an object into etcd, valid or not, as a rule of an older version may have let it in. */
export async function storeObject({ etcd }: ApiServer, path: string, object: unknown): Promise<void> {
  const [key, value] = [`/registry/${path}`, JSON.stringify(object)].map((text) =>
    Buffer.from(text).toString("base64"),
  );
  const answer = await fetch(`${etcd}/v3/kv/put`, { method: "POST", body: JSON.stringify({ key, value }) });
  if (!answer.ok) throw new Error(`etcd: ${answer.status} ${await answer.text()}`);
}
