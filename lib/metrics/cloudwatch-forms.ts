import { StandardUnit } from "@aws-sdk/client-cloudwatch";
import { periodExpected, periods } from "../api/parameter-forms";
import { badParameter, has, type Parameters, type WholeNumberForm } from "./parameters";

/** What CloudWatch takes, by form, so that a bad value is told where it was written and cannot fail a call that others share. */

/** Seconds: 1, 5, 10, 20, 30 (high-resolution metrics) or a multiple of 60 up to a day. */
export function periodForm(absent: number): WholeNumberForm {
  return {
    expected: periodExpected,
    valid: (value) =>
      periods.short.includes(value) ||
      (value >= periods.step && value % periods.step === 0 && value <= periods.longest),
    absent,
  };
}

export function unitOf(parameters: Parameters, path = ""): StandardUnit | undefined {
  if (!has(parameters, "unit")) return undefined;
  const unit = Object.values(StandardUnit).find((known) => known === parameters["unit"]);
  if (unit === undefined)
    throw badParameter(`${path}unit`, "a CloudWatch unit such as Count or Bytes", parameters["unit"]);
  return unit;
}
