import { type FromKeda, type KedaTrigger, numeric, onlySet } from "../keda";

/** prometheus: the same query at the same server. Credentials are in a TriggerAuthentication, which nobody converts. */
export function fromPrometheus(trigger: KedaTrigger): FromKeda {
  trigger.activation("activationThreshold");
  const tenant = trigger.text("cortexOrgID");
  if (trigger.text("authModes") !== undefined)
    trigger.note(
      "authModes",
      "is not carried over: write the credential into a secret and name it in spec.parameters.secret",
    );
  if (trigger.flag("unsafeSsl", false))
    trigger.note("unsafeSsl", "is not carried over: set certificateAuthorityData to the server's CA");
  if (trigger.text("identityOwner") !== undefined)
    trigger.note("identityOwner", "is not carried over: the functions' own role signs the requests");
  const custom = trigger.text("customHeaders");
  if (custom !== undefined)
    trigger.note(
      "customHeaders",
      "is not carried over, because it may hold a secret: set headers, or write them into the secret",
    );
  const timeoutMs = numeric(trigger.text("timeout"));
  const namespace = trigger.text("namespace");
  const queryParameters = { ...pairs(trigger.text("queryParameters")), ...(namespace !== undefined && { namespace }) };
  return {
    parameters: onlySet({
      url: trigger.required("serverAddress"),
      query: trigger.required("query"),
      sigv4Region: trigger.text("awsRegion"),
      headers: tenant === undefined ? undefined : { "X-Scope-OrgID": tenant },
      queryParameters: Object.keys(queryParameters).length === 0 ? undefined : queryParameters,
      timeoutSeconds:
        typeof timeoutMs === "number" ? Math.min(10, Math.max(1, Math.ceil(timeoutMs / 1000))) : undefined,
      // By default, KEDA reads an empty result as 0.
      absent: trigger.flag("ignoreNullValues", true) ? 0 : "error",
    }),
    target: trigger.text("threshold") ?? "",
  };
}

/** key1=value1,key2=value2 */
function pairs(text: string | undefined): Readonly<Record<string, string>> {
  const items = (text ?? "").split(",").filter((item) => item.includes("="));
  return Object.fromEntries(
    items.map((item) => [item.slice(0, item.indexOf("=")).trim(), item.slice(item.indexOf("=") + 1).trim()]),
  );
}
