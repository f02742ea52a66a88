import type { SourceQuery } from "../../model/ports/sources";
import type { BilledRead } from "../billed";
import { agePeriodMs, parseSqsQuery, type QueueAddress, type Queues } from "./sqs-query";

/** A queue named in two ways counts twice: only SQS knows that both are one. */
export function billedByAws(query: SourceQuery): readonly BilledRead[] {
  const { queues, measure } = parseSqsQuery(query);
  const isAge = measure === "age";
  const keptSeconds = isAge ? agePeriodMs / 1000 : 0;
  const requests = { unit: "SQS request", keptSeconds } as const;
  const found = foundBy(queues);
  const ages = { what: "age", unit: "CloudWatch metric", keptSeconds, loweredBy: "the measure messages" } as const;
  return [
    ...("prefix" in queues ? [{ ...requests, what: "queue list", key: keyOf(queues) }] : []),
    ...found.map((queue) => ({ ...requests, ...queue, what: "queue" })),
    ...(isAge ? found.map((queue) => ({ ...ages, ...queue })) : []),
  ];
}

/** A prefix finds at least one, or the reading is an error. */
function foundBy(queues: Queues): readonly Pick<BilledRead, "key" | "isLeast">[] {
  if ("prefix" in queues) return [{ key: keyOf(queues), isLeast: true }];
  return queues.addresses.map((address) => ({ key: keyOf(address) }));
}

function keyOf(of: QueueAddress | Extract<Queues, { readonly prefix: string }>): string {
  if ("prefix" in of) return JSON.stringify(["prefix", of.region, of.prefix]);
  return JSON.stringify([of.region, of.account, of.name]);
}
