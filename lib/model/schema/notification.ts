import { type TSchema, Type } from "typebox";
import { filledText, oneOf, type TypeOf } from "../../k8s/schema/fields";
import { hpaStates } from "../hpa-states";
import { fullType, type HpaType, hpaTypes, lastingTypes, leftOutType } from "../notification";

const optional = <S extends TSchema>(schema: S) => Type.Optional(schema);
const replicas = (description: string) =>
  Type.Integer({ description, minimum: 0, errorMessage: "a whole number, 0 or more" });
const instant = (description: string) =>
  Type.String({
    description,
    pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`,
    errorMessage: "an RFC 3339 time in UTC",
  });

const labels = Object.values(hpaStates).map(({ label }) => label);

const details = {
  group: filledText("The same for all notifications of an HPA: to group or to deduplicate them."),
  summary: filledText("One line for people."),
  states: Type.Array(oneOf("As `ebb get hpa -o wide` and the dashboard name it.", labels), {
    description: "All that hold now, the most urgent first.",
  }),
  target: optional(
    Type.Object({ kind: Type.String(), name: Type.String() }, { description: "The object that the HPA scales." }),
  ),
  minReplicas: optional(Type.Integer({ description: "spec.minReplicas" })),
  maxReplicas: optional(Type.Integer({ description: "spec.maxReplicas" })),
  currentReplicas: optional(replicas("status.currentReplicas")),
  desiredReplicas: optional(replicas("status.desiredReplicas")),
  from: optional(replicas("The size before a scaling.")),
  to: optional(replicas("The size after a scaling.")),
  since: optional(instant("When a condition began.")),
  reason: optional(Type.String({ description: "Of the Kubernetes condition or event." })),
  message: optional(Type.String({ description: "Of the Kubernetes condition or event, at most 1 KB." })),
  command: Type.Array(Type.String(), { description: "A command that says or does more: its words, not quoted." }),
};
const _Details = Type.Object(details);
export type NotificationData = TypeOf<typeof _Details>;

const envelope = {
  specversion: Type.Literal("1.0"),
  id: filledText("The same for the same occurrence, however often it is sent."),
  source: filledText("The deployment and the cluster: `/ebb-prod/clusters/shop`."),
  time: instant("When it happened, or had lasted long enough."),
  datacontenttype: Type.Literal("application/json"),
};

const hpaName = {
  cluster: filledText("The cluster's name in ebb."),
  namespace: Type.String({ description: "Of the HPA." }),
  name: Type.String({ description: "Of the HPA." }),
};

/** Members that a type always has. */
const always: Readonly<Record<HpaType, readonly (keyof typeof details)[]>> = {
  "scaled-to-zero": ["from", "to"],
  "scaled-from-zero": ["from", "to"],
  ...(Object.fromEntries(lastingTypes.map((type) => [type, ["since"]])) as Record<
    (typeof lastingTypes)[number],
    ["since"]
  >),
  recovered: ["since"],
};

const means: Readonly<Record<HpaType, string>> = {
  "scaled-to-zero": "ebb scaled the target to zero.",
  "scaled-from-zero": "ebb scaled the target from zero.",
  failing: "Syncs of the HPA fail.",
  recovered: "A failing HPA that was reported is in order again.",
  "unknown-metric": "A metric that cannot be read holds the size.",
  "at-max": "The HPA is at maxReplicas, and its metrics ask for more.",
  "not-woken": "The target is at zero and should not be, or is at a zero that ebb will not end.",
};

function eventOf(type: HpaType): object {
  const required = Object.fromEntries(always[type].map((name) => [name, asRequired(details[name])]));
  return Type.Object(
    {
      ...envelope,
      type: Type.Literal(fullType(type)),
      subject: filledText("`namespace/name` of the HPA."),
      data: Type.Object({ ...hpaName, ...details, ...required }),
    },
    { description: means[type] },
  );
}

/** Without the mark of an optional member. */
function asRequired(schema: TSchema): TSchema {
  return { ...schema };
}

const LeftOut = Type.Object(
  {
    ...envelope,
    type: Type.Literal(leftOutType),
    data: Type.Object({
      summary: details.summary,
      hour: instant("The start of the hour."),
      leftOut: replicas("How many notifications were not sent in that hour."),
      cap: replicas("The most that an hour may have."),
    }),
  },
  { description: "Notifications of the hour before were left out: notifyHourlyCap." },
);

/** By the end of the type. */
export const notificationSchemas: Readonly<Record<HpaType | "left-out", object>> = {
  ...(Object.fromEntries(hpaTypes.map((type) => [type, eventOf(type)])) as Record<HpaType, object>),
  "left-out": LeftOut,
};
