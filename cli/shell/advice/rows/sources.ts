import { type Advice, row } from "../../../../lib/model/advice";
import { editHpa, editSource, type HpaName, type SourceName } from "./entries";

/** Where the parameters of a query are. */
export interface Written {
  /** The source's entry, unless the metric names a kind that needs none. */
  readonly source?: SourceName | undefined;
  /** An HPA with the metric; none, if the labels came from the command line. */
  readonly hpa?: HpaName | undefined;
}

function whereWritten({ source, hpa }: Written): Advice {
  const ofMetric = hpa === undefined ? ["the labels"] : ["the labels of the metric's selector (", editHpa(hpa), ")"];
  return { parts: [...ofMetric, ...(source === undefined ? [] : [", or the source's (", editSource(source), ")"])] };
}

/** Metric sources. What a kind says of its own failed reads is in its description. */
export const sourceRows = {
  knownKinds: row<SourceName & { readonly kinds: readonly string[] }>`set spec.kind to one of ${({ kinds }) =>
    kinds.join(", ")}: ${editSource}`,
  fixParameters: row<Written>`fix the parameters: ${whereWritten}`,
  nameRegion: row`set AWS_REGION, choose --region, or give the metric the parameter region`,
};
