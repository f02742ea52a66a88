import { errorText } from "../model/fault";
import type { MetricSource, SourceReader, ReadContext } from "../model/ports/sources";

/** Loads a source's code with its first query, so a start pays only for the kinds in use. */
export function loadKindLazily(
  load: () => Promise<MetricSource>,
  keepMs: MetricSource["keepMs"] = () => 0,
): MetricSource {
  let loaded: Promise<MetricSource> | undefined;

  async function open(context: ReadContext): Promise<SourceReader> {
    loaded ??= load();
    try {
      return (await loaded).open(context);
    } catch (error) {
      loaded = undefined;
      throw error;
    }
  }

  return {
    keepMs,
    open(context) {
      let reader: Promise<SourceReader> | undefined;
      return {
        async read(query) {
          try {
            return await (await (reader ??= open(context))).read(query);
          } catch (error) {
            return { error: `the code of this source cannot be loaded: ${errorText(error)}`, from: query.metricName };
          }
        },
      };
    },
  };
}
