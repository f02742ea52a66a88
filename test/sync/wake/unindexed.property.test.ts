import fc from "fast-check";
import { isMap } from "../../../lib/k8s/map";
import { queuesOf, readsQueue } from "../../../lib/sync/wake/queues-of";
import { queueWorld } from "./queue-world";

/**
 * Where no index says anything, the table filters the entries and SOURCEs that may read a queue. It leaves out none
 * that reads it, whatever people wrote, and the comparison keeps no other.
 */
const queue = fc.constantFrom("mail", "mail-in", "ma", "post");
const text = fc.oneof(
  queue,
  queue.map((name) => `arn:aws:sqs:eu-west-1:1:${name}`),
  queue.map((name) => `https://sqs.eu-west-1.amazonaws.com/1/${name}`),
  fc.array(queue, { maxLength: 3 }).map((names) => names.join(" , ")),
);
const odd = fc.constantFrom<unknown>(7, null, true, ["mail"], { mail: "mail" }, "");
const labels = fc.record(
  { queue: fc.oneof(text, odd), queues: fc.oneof(text, odd), queuePrefix: fc.oneof(text, odd), region: text },
  { requiredKeys: [] },
);
const name = fc.constantFrom("sqs", "jobs", "mails", "other");
const metric = fc.oneof(
  { weight: 8, arbitrary: fc.record({ name, labels }) },
  { weight: 1, arbitrary: fc.constant(undefined) },
);
const hpas = fc.array(fc.array(metric, { maxLength: 20 }), { minLength: 1, maxLength: 6 });
const kind = fc.constantFrom<unknown>("sqs", "http", 7);
const sources = fc.dictionary(name, fc.oneof(fc.record({ kind, parameters: fc.oneof(labels, odd) }), odd), {
  maxKeys: 3,
});

/** A SOURCE that is no map can read no queue, and neither can a metric with its name. */
function specOf(specs: Readonly<Record<string, unknown>>, source: string): unknown {
  const spec = Object.hasOwn(specs, source) ? specs[source] : undefined;
  return spec === undefined || isMap(spec) ? spec : {};
}

test("the HPAs of a queue are found among any entries, and no others", async () => {
  await fc.assert(
    fc.asyncProperty(hpas, sources, queue, async (entries, specs, wanted) => {
      const world = queueWorld();
      await world.register();
      for (const [source, spec] of Object.entries(specs)) await world.put("CLUSTER#prod", `SOURCE#${source}`, { spec });
      const expected: string[] = [];
      for (const [at, listed] of entries.entries()) {
        const metrics = listed.map((one) =>
          one === undefined
            ? { type: "Resource" }
            : { type: "External", external: { metric: { name: one.name, selector: { matchLabels: one.labels } } } },
        );
        const document = { spec: { metrics } };
        await world.put("CLUSTER#prod", `HPA#shop/${at}`, document);
        if (
          readsQueue(
            queuesOf(document, (source) => specOf(specs, source)),
            wanted,
          )
        )
          expected.push(`prod shop/${at}`);
      }
      expect((await world.find(wanted)).sort()).toEqual(expected.sort());
    }),
    { numRuns: 60 },
  );
});
