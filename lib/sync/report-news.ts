import type { EpochMs } from "../core/situation";
import type { HpaResult } from "./hpa-result";
import type { Reporter } from "./ports";

export interface News {
  readonly results: readonly HpaResult[];
  /** HPAs whose last sync was not recorded either: what kept it was told then. */
  readonly knownBehind: Readonly<Record<string, EpochMs>>;
  readonly at: EpochMs;
}

/** One line for each new failure; the same failure of several HPAs (their cluster is away) is one line that counts them. */
export function reportNews(reporter: Reporter, cluster: string, { results, knownBehind, at }: News): void {
  const byText = new Map<
    string,
    { readonly key: string; readonly reason: string; readonly message: string; hpas: number }
  >();
  for (const { key, news, recorded, recovered } of results) {
    if (recovered) reporter.recovered({ cluster, key });
    if (news === undefined || (!recorded && key in knownBehind)) continue;
    const { reason, message } = news;
    const same = byText.get(`${reason} ${message}`);
    if (same === undefined) byText.set(`${reason} ${message}`, { key, reason, message, hpas: 1 });
    else same.hpas += 1;
  }
  for (const { key, reason, message, hpas } of byText.values()) {
    reporter.failed(hpas === 1 ? { cluster, key, reason, message, at } : { cluster, hpas, reason, message, at });
  }
}
