import { isMap } from "../../../../lib/k8s/map";
import { isCredentialName, withoutCredentials } from "../../../../lib/sources/credentials";
import { settingText } from "./left-over";
import type { SourceTrigger, TriggerReader } from "./trigger";

/**
 * Becomes a metric that holds the replicas: ebb cannot know which setting is its target. Nor which settings are secret:
 * it leaves out what has the form of a credential, and of each address all behind the host.
 */
export function unreadKind(type: string, metadata: unknown): (trigger: TriggerReader) => SourceTrigger {
  return (trigger) => {
    const parameters: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(isMap(metadata) ? metadata : {})) {
      if (isCredentialName(name) || holdsCredential(settingText(value) ?? "", name)) trigger.secret(name, name);
      else parameters[name] = hostsOf(name, trigger);
    }
    return { kind: type, parameters, target: "1" };
  };
}

/** With a scheme, a port before the path, or a host of several labels: not `orders/eu`. */
const address =
  /((?<![a-z\d+.-])(?:[a-z][a-z\d+.-]*:)?(?:\\?\/){2}[^\s,/?#]*|(?<![\w.:/@-])(?:[\w-]+(?:\.[\w-]+)*\.(?:[a-z][\w-]*|\d+(?<=\d\.\d+\.\d+\.\d+))(?::\d+)?|[\w.-]+:\d+))[/?#][^\s,]+/gi;

/** A webhook's path is its credential: `https://hooks.example/T0/B0/s3cret`. */
function hostsOf(name: string, trigger: TriggerReader): string | undefined {
  const given = trigger.given(name);
  const text = given?.replace(address, "$1");
  if (text !== given)
    trigger.note(name, "is carried over without the path and query of its address, which may be a secret", "step");
  return text;
}

/** `Authorization: Bearer …`, `{"token": "…"}`, `api_key=…` and `me:…@tcp(db:3306)`. */
const pair = /([\w.-]{1,100})\\?["']?\s{0,9}[:=]\s{0,9}[^\s;]/g;
const scheme = /(?<![\w-])(bearer|basic|digest|token|apikey|negotiate)\s+[\w+/=.~-]{6}/i;
const pem = /-----BEGIN /;

function holdsCredential(given: string, name: string): boolean {
  const text = withoutCredentials(given, name).text.replace(address, "$1");
  const names = [...text.matchAll(pair)].map(([, one = ""]) => one);
  const hasUser = withoutCredentials(text, "address").text !== text;
  return hasUser || names.some(isCredentialName) || scheme.test(text) || pem.test(text);
}
