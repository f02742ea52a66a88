import { wantedQueues, wantedBy } from "../../../lib/sync/wake/queues-of";

const hpa = (name: string, more: object = {}) => ({ cluster: "prod", namespace: "shop", name, ...more });

test("each HPA is wanted once, whatever differs in its key", () => {
  const others = [hpa("b"), hpa("a", { namespace: "mail" }), hpa("a", { cluster: "test" })];
  expect(wantedBy([hpa("a"), ...others, hpa("a")]).hpas).toEqual([hpa("a"), ...others]);
});

test("a cluster is searched for its own queues and for those of all clusters, each once", () => {
  const wanted = wantedBy([{ queue: "mail" }, { queue: "mail", cluster: "prod" }, { queue: "post", cluster: "prod" }]);
  expect(wantedQueues("prod", wanted).map(({ name }) => name)).toEqual(["mail", "post"]);
  expect(wantedQueues("test", wanted).map(({ name }) => name)).toEqual(["mail"]);
  expect(wantedQueues("test", wantedBy([{ queue: "post", cluster: "prod" }]))).toEqual([]);
});

test("too many queues are the event's fault, which no retry repairs", () => {
  const requests = Array.from({ length: 257 }, (_, index) => ({ queue: `q${index}` }));
  expect(wantedBy(requests.slice(1)).queues.get(undefined)?.size).toBe(256);
  expect(() => wantedBy(requests)).toThrow(
    expect.objectContaining({
      kind: "badEntry",
      retryable: false,
      message: expect.stringContaining("wake event: ") as string,
    }) as Error,
  );
});
