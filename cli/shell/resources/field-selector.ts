import { type Found, type ResourceName, resourceNames } from "../../../lib/read/found";
import { serverFailure } from "../failure";

/** Whether an object has the fields that `--field-selector` asks for. */
export type FieldSelector = (found: Found) => boolean;

/** What the API server serves of each type. Its events have these fields as well. */
const metadataFields = ["metadata.name", "metadata.namespace"];
const eventFields = [
  "involvedObject.kind",
  "involvedObject.namespace",
  "involvedObject.name",
  "involvedObject.uid",
  "involvedObject.apiVersion",
  "reason",
  "reportingComponent",
  "source",
  "type",
];

interface Requirement {
  readonly field: string;
  readonly value: string;
  readonly equal: boolean;
}

/** Requirements separated by commas, each `field=value`, `field==value` or `field!=value`. @throws Failure */
export function fieldSelector(text: string, name: ResourceName): FieldSelector {
  const required = text
    .split(",")
    .filter((part) => part !== "")
    .map((part) => requirementOf(part, text, name));
  return (found) => required.every(({ field, value, equal }) => (fieldOf(found, field) === value) === equal);
}

function requirementOf(part: string, text: string, name: ResourceName): Requirement {
  const [, field, operator, value = ""] = /^(.*?)(!=|==|=)(.*)$/s.exec(part) ?? [];
  if (field === undefined) throw refusal(text, name, `invalid selector: '${text}'; can't understand '${part}'`);
  const known = [...metadataFields, ...(name === "events" ? eventFields : [])];
  if (!known.includes(field)) {
    const only = known.map((one) => `"${one}"`).join(", ");
    throw refusal(text, name, `"${field}" is not a known field selector: only ${only}`);
  }
  return { field, value, equal: operator !== "!=" };
}

function refusal(text: string, name: ResourceName, why: string): Error {
  const resource = name === "hpa" ? "autoscaling/v2, Resource=horizontalpodautoscalers" : resourceNames[name].plural;
  const message = `Unable to find "${resource}" that match label selector "", field selector "${text}": ${why}`;
  return serverFailure("BadRequest", message);
}

function fieldOf(found: Found, field: string): string {
  if (field === "metadata.name") return found.name;
  if (field === "metadata.namespace") return found.namespace ?? "";
  const [first = "", second = ""] = (field === "source" ? "source.component" : field).split(".");
  const member = (found.object as Readonly<Record<string, unknown>>)[first];
  const value = second === "" ? member : (member as Readonly<Record<string, unknown>> | undefined)?.[second];
  return typeof value === "string" ? value : "";
}
