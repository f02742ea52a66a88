import { type Fields, isFields, type Note } from "./left-over";
import type { Pauses } from "./read-pauses";

/** KEDA's cooldownPeriod where none is given, and the scale-down window of an HPA without one. */
const DEFAULT_SECONDS = 300;
/** The longest window that the HPA API allows. */
const LONGEST_SECONDS = 3600;

interface Given {
  /** spec.advanced.horizontalPodAutoscalerConfig.behavior */
  readonly given: unknown;
  readonly cooldownSeconds: number | undefined;
  /** Whether the HPA goes to zero: all that a cooldown is about. */
  readonly toZero: boolean;
  readonly pauses: Pick<Pauses, "scaleIn" | "scaleOut">;
}

/**
 * The HPA's behavior: as given, with what pauses one direction, and with a scale-down window that is no shorter than the cooldown.
 *
 * KEDA waits for its cooldown before the last step to zero, and for the window before every other step down. Here the window comes
 * before each; the longer of the two never takes a replica away earlier than KEDA would have.
 */
export function convertBehavior({ given, cooldownSeconds, toZero, pauses }: Given): {
  readonly behavior?: Fields;
  readonly notes: readonly Note[];
} {
  const behavior = isFields(given) ? given : {};
  const [up, down] = [
    isFields(behavior["scaleUp"]) ? behavior["scaleUp"] : {},
    isFields(behavior["scaleDown"]) ? behavior["scaleDown"] : {},
  ];
  const window = Number(down["stabilizationWindowSeconds"] ?? DEFAULT_SECONDS);
  const cooldown = toZero ? (cooldownSeconds ?? DEFAULT_SECONDS) : 0;
  const longer = Math.min(Math.max(window, cooldown), LONGEST_SECONDS);
  const scaleDown = {
    ...down,
    ...(longer !== window && { stabilizationWindowSeconds: longer }),
    ...(pauses.scaleIn && { selectPolicy: "Disabled" }),
  };
  const scaleUp = { ...up, ...(pauses.scaleOut && { selectPolicy: "Disabled" }) };
  const whole = {
    ...behavior,
    ...(Object.keys(scaleUp).length > 0 && { scaleUp }),
    ...(Object.keys(scaleDown).length > 0 && { scaleDown }),
  };
  const notes = toZero && cooldown !== window ? [cooldownNote(cooldown, window, longer)] : [];
  return Object.keys(whole).length === 0 ? { notes } : { behavior: whole, notes };
}

function cooldownNote(cooldown: number, window: number, longer: number): Note {
  const field = "spec.cooldownPeriod";
  if (cooldown < window) {
    return {
      field,
      text: `was ${cooldown} s: zero comes after the scale-down window of ${window} s here, as every step down does`,
    };
  }
  const cut = cooldown > longer ? `, the longest that an HPA may have` : "";
  return {
    field,
    text: `is a scale-down window of ${longer} s${cut}: every step down waits for it, not the last one alone`,
  };
}
