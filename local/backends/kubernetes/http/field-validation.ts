import type { ServerResponse } from "node:http";
import type { ObjectTarget } from "../operations/api";
import { isStrategic } from "../operations/patch";
import { goText } from "../resources/accessors";
import { badRequest, invalidError, StatusError } from "../resources/status";
import { builtInSchema, schemaOfKind, withKnownFields } from "../schemas/known-fields";
import { recorded } from "../schemas/schemas";
import type { FieldValidation } from "./options";

/** Returns the object without unknown fields. */
export type Accept = (object: unknown) => unknown;

export interface Acceptance {
  readonly accept: Accept;
  /** For a patched object, whose unknown fields are refused in other words. */
  readonly acceptPatched: (patch: unknown, mediaType: string) => Accept;
  /** Lists dropped fields, unless the client ignores them. */
  readonly warn: (response: ServerResponse) => void;
}

export async function acceptance(
  { resource, subresource }: Omit<ObjectTarget, "name">,
  validation: FieldValidation,
  duplicates: () => readonly string[],
): Promise<Acceptance> {
  const { schemas } = await recorded();
  const isScale = subresource === "scale";
  const [kind, version] = isScale ? ["Scale", "v1"] : [resource.kind, resource.version];
  const schema = isScale
    ? builtInSchema(schemas, { group: "autoscaling", version, kind })
    : schemaOfKind(schemas, resource);
  const custom = !isScale && resource.custom !== undefined;
  const problems = new Set<string>();

  const known = (object: unknown, refuse: (because: string) => StatusError): unknown => {
    const { value, unknown } = withRefusal(refuse, () =>
      schema === undefined
        ? { value: object, unknown: [] }
        : withKnownFields({ schemas, schema, kind, custom }, object),
    );
    if (validation === "Ignore") return value;
    for (const field of duplicates()) problems.add(`duplicate field "${field}"`);
    for (const field of unknown) problems.add(`unknown field "${field}"`);
    if (validation === "Strict" && problems.size > 0) {
      throw refuse(`strict decoding error: ${[...problems].join(", ")}`);
    }
    return value;
  };
  return {
    accept: (object) =>
      known(object, (because) =>
        badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${because}`),
      ),
    acceptPatched: (patch, mediaType) => (object) =>
      known(object, (because) =>
        invalidError({ group: "", kind: "" }, "", [
          {
            field: "patch",
            type: "Invalid",
            value: isStrategic(mediaType) ? goText(patch) : JSON.stringify(object),
            detail: because,
          },
        ]),
      ),
    warn(response) {
      if (problems.size > 0) response.setHeader("warning", warningHeaders([...problems]));
    },
  };
}

function withRefusal<T>(refuse: (because: string) => StatusError, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof StatusError ? refuse(error.message) : error;
  }
}

/** The real server's limit for an answer. Node's clients refuse headers above 16 KiB. */
const longestWarnings = 4_096;

/** Upstream: apimachinery, pkg/util/net/http.go, NewWarningHeader. */
function warningHeaders(texts: readonly string[]): string[] {
  const headers: string[] = [];
  let length = 0;
  for (const text of texts) {
    length += Buffer.byteLength(text);
    if (length > longestWarnings) break;
    // eslint-disable-next-line no-control-regex -- what a header must not have
    const printable = text.replace(/[\u0000-\u001f\u007f]/g, " ").replace(/["\\]/g, "\\$&");
    // A header's characters are bytes.
    headers.push(`299 - "${Buffer.from(printable).toString("latin1")}"`);
  }
  return headers;
}
