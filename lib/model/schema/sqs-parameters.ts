import { Type } from "typebox";
import { flagParameter, textParameter } from "./parameter-fields";
import { accountForm, queueForm, regionForm } from "./parameter-forms";
import { closed } from "../../k8s/schema/fields";

/** Parameters of the source kind `sqs`, as an entry's defaults: what is absent here a metric's labels say. */
export const SqsParameters = Type.Object(
  {
    queue: textParameter("A URL or an ARN tells region and account. Needed, here or as a label.", queueForm),
    region: textParameter("The queue's region. Default: the function's.", regionForm),
    account: textParameter("The queue's owner, where it is another account. Default: the function's own.", accountForm),
    queueOwner: textParameter("The same as account.", accountForm),
    includeInFlight: flagParameter(
      "Whether messages that a consumer has received and not yet deleted count. Default true.",
    ),
    includeDelayed: flagParameter("Whether messages that are not yet visible count. Default false."),
  },
  { ...closed, title: "sqs", description: "The messages of an SQS queue. docs/metrics.md" },
);
