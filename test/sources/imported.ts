import { checkDocument } from "../../cli/write/documents/check-document";
import { convertScaledObject } from "../../cli/set-up/import/keda/convert-scaled-object";
import type { SourceQuery } from "../../lib/model/ports/sources";
import { validateSourceParameters } from "../../lib/sources/validate-parameters";

type Labels = Readonly<Record<string, string>>;

interface Hpa {
  readonly spec: { readonly metrics: readonly [{ readonly external: External }] };
}

interface External {
  readonly metric: { readonly name: string; readonly selector?: { readonly matchLabels: Labels } };
}

interface Source {
  readonly spec: { readonly parameters: Readonly<Record<string, unknown>> };
}

/** The query that a trigger of KEDA becomes. Its entries are valid. */
export function imported(type: string, metadata: Labels): SourceQuery {
  const object = {
    metadata: { name: "orders", namespace: "shop" },
    spec: { scaleTargetRef: { name: "orders" }, triggers: [{ type, metadata }] },
  };
  const { documents } = convertScaledObject(object, { annotations: {}, namespace: "shop" });
  for (const document of documents)
    expect(checkDocument(document, "shop")).toEqual({ checked: expect.any(Object) as object });
  const [hpa, entry] = documents as unknown as [Hpa, Source | undefined];
  if (entry !== undefined) expect(validateSourceParameters(entry.spec)).toEqual([]);
  const { name, selector } = hpa.spec.metrics[0].external.metric;
  return { metricName: name, parameters: entry?.spec.parameters ?? selector?.matchLabels ?? {} };
}
