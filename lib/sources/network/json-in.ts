import { Fault } from "../../model/fault";

/** The document in an answer. Throws a Fault "badAnswer" if there is none. */
export function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new Fault("badAnswer", `expected JSON, got ${body.length === 0 ? "an empty answer" : "something else"}`);
  }
}
