import { Fault } from "../../model/fault";

/** @throws Fault "badAnswer" if the body is no JSON. */
export function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new Fault("badAnswer", `expected JSON, got ${body.length === 0 ? "an empty answer" : "something else"}`);
  }
}
