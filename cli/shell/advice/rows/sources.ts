import { type Advice, row } from "../../../../lib/model/advice";
import { editHpa, editSource, type HpaName, type SourceName } from "./entries";

export interface Written {
  /** Absent: the metric names a kind that needs none. */
  readonly source?: SourceName | undefined;
  /** Absent: the labels came from the command line. */
  readonly hpa?: HpaName | undefined;
}

function whereWritten({ source, hpa }: Written): Advice {
  const ofMetric = hpa === undefined ? ["the labels"] : ["the labels of the metric's selector (", editHpa(hpa), ")"];
  return { parts: [...ofMetric, ...(source === undefined ? [] : [", or the source's (", editSource(source), ")"])] };
}

/** Kinds have advice of their own in their descriptions. */
export const sourceRows = {
  knownKinds: row<SourceName & { readonly kinds: readonly string[] }>`set spec.kind to one of ${({ kinds }) =>
    kinds.join(", ")}: ${editSource}`,
  fixParameters: row<Written>`fix the parameters: ${whereWritten}`,
  nameRegion: row`set AWS_REGION, choose --region, or give the metric the parameter region`,
};
