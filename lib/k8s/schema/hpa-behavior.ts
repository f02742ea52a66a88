import { Type } from "typebox";
import { closed, oneOf, quantityField, type TypeOf, wholeNumber } from "./fields";

const ScalingPolicy = Type.Object(
  {
    type: oneOf("Whether value is a number of pods or a percentage of the current pods.", ["Pods", "Percent"]),
    value: Type.Integer({
      minimum: 1,
      description: "How many pods, or what percentage of them, may change in one period.",
    }),
    periodSeconds: wholeNumber("The length of the period, in seconds.", [1, 1800]),
  },
  { ...closed, title: "HPAScalingPolicy", description: "How much the size may change in a period." },
);

const ScalingRules = (direction: string, defaults: { readonly window: string; readonly policies: string }) =>
  Type.Object(
    {
      stabilizationWindowSeconds: Type.Optional(
        wholeNumber(
          `How far back past recommendations count when scaling ${direction}, in seconds. ${defaults.window}`,
          [0, 3600],
        ),
      ),
      selectPolicy: Type.Optional(
        oneOf(
          `Which policy applies: Max (the most change), Min (the least), or Disabled (no scaling ${direction}). Default Max.`,
          ["Max", "Min", "Disabled"],
        ),
      ),
      policies: Type.Optional(
        Type.Array(ScalingPolicy, { minItems: 1, description: `How fast to scale ${direction}. ${defaults.policies}` }),
      ),
      tolerance: Type.Optional(
        quantityField(
          "How far the usage ratio may be from 1 before the HPA scales, as a fraction such as 0.05. Default: the cluster's.",
          "zeroOrMore",
        ),
      ),
    },
    { ...closed, title: "HPAScalingRules", description: `The rules for scaling ${direction}.` },
  );

export const Behavior = Type.Object(
  {
    scaleUp: Type.Optional(
      ScalingRules("up", {
        window: "Default 0.",
        policies: "Default: 4 pods or 100 percent in 15 s, the larger of the two.",
      }),
    ),
    scaleDown: Type.Optional(
      ScalingRules("down", {
        window: "Default: the cluster's (300).",
        policies: "Default: 100 percent in 15 s, so that all pods may go at once.",
      }),
    ),
  },
  { ...closed, title: "HorizontalPodAutoscalerBehavior", description: "How fast the size may change, up and down." },
);
export type Behavior = TypeOf<typeof Behavior>;
