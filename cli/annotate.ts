import type { Command } from "commander";
import { examples } from "./examples";
import { markCommand } from "./marks/mark-command";
import type { Surroundings } from "./surroundings";

/** `ebb annotate`: sets and removes annotations. */
export function annotateCommand(surroundings: Surroundings): Command {
  return markCommand(surroundings, { verb: "annotate", field: "annotations", said: () => "annotated" })
    .summary("Set or remove annotations.")
    .description("Set or remove annotations of clusters, HPAs or metric sources.")
    .addHelpText(
      "after",
      examples([
        ["Set one", "ebb annotate hpa web team=checkout"],
        [
          "Change one and remove another, of all HPAs of a namespace",
          "ebb annotate hpa --all -n shop --overwrite team=cart owner-",
        ],
      ]),
    );
}
