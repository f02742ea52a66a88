import { regionForm, accountForm, queueForm } from "../api/parameter-forms";
import type { SourceQuery } from "./metric-source";
import { badParameter, flag, has, optionalText, rejectUnknown, requiredText } from "./parameters";
import { parseQueueAddress, type QueueAddress } from "./queue-address";

export interface SqsQuery {
  readonly address: QueueAddress;
  readonly includeInFlight: boolean;
  readonly includeDelayed: boolean;
}

const known = ["queue", "region", "account", "queueOwner", "includeInFlight", "includeDelayed"];

/** Throws a Fault "badEntry" that names the parameter. */
export function parseSqsQuery({ parameters }: SourceQuery): SqsQuery {
  rejectUnknown(parameters, known);
  const queue = requiredText(parameters, "queue", queueForm);
  if (has(parameters, "account") && has(parameters, "queueOwner")) {
    throw badParameter("queueOwner", "account or queueOwner, not both", parameters["queueOwner"]);
  }
  const account = has(parameters, "queueOwner") ? "queueOwner" : "account";
  let address = parseQueueAddress(queue);
  address = agree(address, "region", optionalText(parameters, "region", regionForm), "region");
  address = agree(address, "account", optionalText(parameters, account, accountForm), account);
  return {
    address,
    includeInFlight: flag(parameters, "includeInFlight", true),
    includeDelayed: flag(parameters, "includeDelayed", false),
  };
}

/** What the URL or ARN says and what the parameter says must not differ: one of the two queues would be read by mistake. */
function agree(
  address: QueueAddress,
  field: "region" | "account",
  given: string | undefined,
  name: string,
): QueueAddress {
  if (given === undefined) return address;
  const inQueue = address[field];
  if (inQueue !== undefined && inQueue !== given)
    throw badParameter(name, `${inQueue}, as the queue's address says`, given);
  return { ...address, [field]: given };
}
