import { descriptionOf } from "../../../../lib/sources/descriptions";
import type { Harm } from "../../../../lib/sources/keda";
import { type Fields, type Note, settingText } from "./left-over";

interface Place {
  readonly kind: string;
  readonly parameters: Fields;
  /** The trigger's. */
  readonly path: string;
  readonly namespace: string;
  readonly hasCredential: boolean;
}

interface Reached {
  readonly parameters: Fields;
  readonly notes: readonly Note[];
}

/** An address that only the cluster's DNS knows becomes `via`, or a note that says what to do. */
export function placeInCluster({ kind, parameters, path, namespace, hasCredential }: Place): Reached {
  const [field, address] = ["url", "address"].flatMap((name) => {
    const text = settingText(parameters[name]);
    return text === undefined ? [] : [[name, text] as const];
  })[0] ?? ["", ""];
  const parts = /^(?:([a-z]+):\/\/)?([^/?#:,]+)(?::(\d+))?([/?][^#]*)?$/i.exec(address);
  const first = /^[^[/?#:,]+/.exec(address.replace(/^[a-z]+:\/\//i, ""))?.[0] ?? "";
  const service = serviceOf(first, namespace);
  const note = (text: string, harm: Harm = "step"): Reached => ({ parameters, notes: [{ field: path, text, harm }] });
  const known = descriptionOf(kind);
  if (service === undefined || known === undefined) return { parameters, notes: [] };
  const canReach = Object.hasOwn(known.fields, "via");
  const publish = "publish it at an address that ebb's functions reach";
  if (service === "unsure") {
    const instead = canReach ? "name it in via (docs/sources/README.md)" : publish;
    return note(`has the host ${first}: if that is a Service of the cluster, ${instead}`);
  }
  const only = `has the host ${first}, which only the cluster reaches`;
  if (!canReach) return note(`${only}: ${publish}`);
  const isWeb = field === "url";
  if (isWeb && hasCredential) return note(`${only}, and via carries no credential: ${publish}`, "credential");
  if (parts === null || parameters["topology"] !== undefined)
    return note(`${only}: name one service in via (docs/sources/README.md)`);
  const [, scheme = "", , port, rest = ""] = parts;
  const { [field]: _address, tls, ...others } = parameters;
  const isSecure = scheme.toLowerCase() === "https";
  const via = {
    ...service,
    port: Number(port ?? (isSecure ? 443 : 80)),
    ...(isWeb && isSecure && { scheme: "https" }),
  };
  if (!isWeb) return { parameters: { via, ...(tls === false ? {} : { tls: true }), ...others }, notes: [] };
  const url = kind === "prometheus" ? rest.replace(/\/+$/, "") : rest || "/";
  return { parameters: { via, ...(url !== "" && { url }), ...others }, notes: [] };
}

/** Ends of names that people register. */
const registered =
  /^([a-z]{2}|com|net|org|info|biz|app|dev|cloud|online|site|tech|internal|local|example|test|invalid)$/;

/** `x.ns.svc`, `x.ns.svc.cluster.local`, `x.ns` of the object's own namespace. Unsure: `x`, and `x.ns` of another. */
function serviceOf(
  host: string,
  own: string,
): { readonly namespace: string; readonly service: string } | "unsure" | undefined {
  const name = host.toLowerCase().replace(/\.$/, "");
  const [, service = "", namespace = ""] = /^([a-z][a-z\d-]*)\.([a-z\d-]+)\.svc(?:\.[a-z\d.-]+)?$/.exec(name) ?? [];
  if (service !== "") return { namespace, service };
  // A pod of a headless service: via has no name for one.
  if (/\.svc(\.cluster\.local)?$/.test(name)) return "unsure";
  const labels = name.split(".");
  if (labels.length === 1) return name === "" || name === "localhost" ? undefined : "unsure";
  const [first = "", second = ""] = labels;
  if (labels.length > 2 || !/[a-z]/.test(second)) return undefined;
  if (second === own) return { namespace: own, service: first };
  return registered.test(second) ? undefined : "unsure";
}
