import { decodeStored } from "../../k8s/codec/decode-stored";
import { present } from "../../k8s/map";
import type { FieldError } from "../../k8s/validate/field-error";
import { validateFields, type Validation } from "../../k8s/validate/validate-hpa";
import type { EntryDocument } from "../ports/entries";
import { fewTexts } from "../check/problem";
import { annotationErrors } from "./annotations";
import { busyErrors } from "./busy-rule";
import { limitErrors, listErrors, sizeErrors } from "./limits";
import { rulesMetricErrors } from "./metric-rules";
import { syncPeriodErrors } from "./options";
import { zeroErrors } from "./zero-rule";
import { errorText } from "../fault";
import { type HpaKey, isHpaKey, shownName } from "../hpa-key";

const mostErrors = 20;

type Checked = Omit<Validation, "errors"> & { readonly errors: readonly FieldError[] };

/** As the API server does, within ebb's limits. */
export function validateHpaEntry(document: unknown): Validation {
  const lists = listErrors(document);
  const tooLarge = lists.length > 0 ? lists : sizeErrors(document);
  const { errors, hpa } =
    tooLarge.length > 0 ? { errors: tooLarge } : withOwnRules(validateFields(document, { assumeKind: true }));
  const texts = fewTexts(
    errors.map(({ text }) => text),
    mostErrors,
  );
  return hpa === undefined ? { errors: texts } : { errors: texts, hpa };
}

interface GivenFor {
  readonly namespace: string;
  /** The entry that it replaces. */
  readonly stored?: EntryDocument;
  readonly numbers?: ReadonlyMap<string, string>;
}

/** Measured as it will be stored: with defaults, without managedFields. */
export function validateGivenHpa(document: unknown, { stored, ...given }: GivenFor): Checked {
  const before = decodeStored(stored, "known");
  return withOwnRules(validateFields(document, { ...given, ...present({ stored: before }) }), (hpa) => sizeErrors(hpa));
}

function withOwnRules(
  checked: Checked,
  moreErrors: (hpa: NonNullable<Checked["hpa"]>) => readonly FieldError[] = () => [],
): Checked {
  const { errors, hpa } = checked;
  if (hpa === undefined || errors.length > 0) return { errors };
  const annotations = annotationErrors("HorizontalPodAutoscaler", hpa.metadata);
  const rules =
    annotations.length === 0
      ? [...rulesMetricErrors(hpa), ...syncPeriodErrors(hpa), ...zeroErrors(hpa), ...busyErrors(hpa)]
      : [];
  const own = [...moreErrors(hpa), ...limitErrors(hpa), ...annotations, ...rules];
  return own.length > 0 ? { errors: own } : checked;
}

interface Keyed {
  readonly key: HpaKey;
  readonly document: unknown;
}

/** Also requires the sort key's name and namespace. */
export function validateStoredHpa({ key, document }: Keyed): Validation {
  if (!isHpaKey(key))
    return { errors: [`sort key: expected "HPA#<namespace>/<name>", got ${JSON.stringify(shownName(key))}`] };
  try {
    const { errors, hpa } = validateHpaEntry(document);
    if (hpa === undefined || errors.length > 0) return { errors };
    const name = `${hpa.metadata.namespace}/${hpa.metadata.name}`;
    if (name !== key) {
      const expected = JSON.stringify(key);
      return { errors: [`metadata: expected the name ${expected} as in the sort key, got "${name}"`] };
    }
    return { errors, hpa };
  } catch (error) {
    return { errors: [`the document cannot be read: ${errorText(error)}`] };
  }
}
