import { type FromKeda, type KedaTrigger, noteAwsCredentials, noteTls, onlySet, timeoutOf } from "../keda";

/** The same query at the same server. */
export function fromPrometheus(trigger: KedaTrigger): FromKeda {
  trigger.activation("activationThreshold");
  const tenant = trigger.text("cortexOrgID");
  trigger.lost("authModes", "is not carried over: write the credential into a secret, and name it in the entry");
  trigger.secret("bearerToken", "token");
  for (const name of ["username", "password"]) trigger.secret(name, name);
  for (const name of ["customAuthHeader", "customAuthValue"]) trigger.secret(name, "headers");
  noteAwsCredentials(trigger);
  noteTls(trigger, "the server's");
  const custom = trigger.text("customHeaders");
  if (custom !== undefined)
    trigger.note(
      "customHeaders",
      "is not carried over, because it may hold a secret: set headers, or write them into the secret",
    );
  const namespace = trigger.text("namespace");
  const queryParameters = { ...pairs(trigger.text("queryParameters")), ...(namespace !== undefined && { namespace }) };
  return {
    parameters: onlySet({
      url: trigger.required("serverAddress"),
      query: trigger.required("query"),
      sigv4Region: trigger.text("awsRegion"),
      headers: tenant === undefined ? undefined : { "X-Scope-OrgID": tenant },
      queryParameters: Object.keys(queryParameters).length === 0 ? undefined : queryParameters,
      timeoutSeconds: timeoutOf(trigger),
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
