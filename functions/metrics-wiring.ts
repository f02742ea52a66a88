import { openHistoryReader, openSecretReader, openTable, storeOn } from "../compose";
import { parseMap } from "../lib/k8s/map";
import type { EpochMs } from "../lib/k8s/time";
import { Fault } from "../lib/model/fault";
import { type Authenticator, renewing } from "../lib/net/credential";
import { type Fleet, readFleet } from "../lib/read/fleet";
import type { ReadSecret } from "../lib/secrets/secrets";
import { requireVariable } from "./environment";
import { openReporter, type Telemetry } from "./reporter";

export interface MetricsWiring {
  readonly fleet: (signal: AbortSignal) => Promise<Fleet>;
  readonly token: Pick<Authenticator<string>, "credential">;
  readonly reporter: Telemetry;
  readonly now: () => EpochMs;
}

/** How long a token counts that was replaced, and how long the new one waits. docs/history.md says so. */
const tokenMs = 60_000;

/** @throws Fault "badEntry" */
export function wireMetrics(env: Readonly<Record<string, string | undefined>>): MetricsWiring {
  const reporter = openReporter();
  const now = () => Date.now();
  const table = openTable(requireVariable(env, "TABLE_NAME", "the name of the DynamoDB table"));
  const store = storeOn(table, { now, onBrokenShard: (message) => reporter.warned(message) });
  const history = openHistoryReader(table, now);
  const arn = requireVariable(env, "METRICS_TOKEN", "the ARN of a secret or a parameter");
  return {
    fleet: (signal) => readFleet({ store, history }, now(), signal),
    token: openScrapeToken(arn, { secrets: openSecretReader(), now }),
    reporter,
    now,
  };
}

/** Read when somebody brings a token, at most once in `tokenMs`. Without a secret that can be read, nobody gets in. */
export function openScrapeToken(
  arn: string,
  { secrets, now }: { readonly secrets: ReadSecret; readonly now: () => EpochMs },
): MetricsWiring["token"] {
  const name = arn.split(":")[2] === "ssm" ? `ssm:${arn}` : arn;
  return renewing(async (signal) => {
    const until = now() + tokenMs;
    return { credential: tokenIn(await secrets(name, signal), name), until };
  }, now);
}

/** A shorter one could be guessed. */
const visible = /^[\x21-\x7e]{20,}$/;

/** The console of Secrets Manager stores JSON. */
function tokenIn(text: string, name: string): string {
  const token = text.trim().startsWith("{") ? parseMap(text)?.["token"] : text;
  if (typeof token === "string" && visible.test(token.trim())) return token.trim();
  const expected = 'a token of 20 visible characters or more, alone or as {"token": "…"}';
  throw new Fault("badEntry", `secret ${name}: expected ${expected}`, { part: "secret" });
}
