import type { Command } from "commander";
import { examples } from "./examples";
import { markCommand } from "./marks/mark-command";
import type { Surroundings } from "./surroundings";

/** `ebb label`: sets and removes labels. */
export function labelCommand(surroundings: Surroundings): Command {
  const said = (changes: Readonly<Record<string, string | null>>, isChanged: boolean) => {
    if (!isChanged) return "not labeled";
    return Object.values(changes).every((value) => value === null) ? "unlabeled" : "labeled";
  };
  return markCommand(surroundings, { verb: "label", field: "labels", said })
    .summary("Set or remove labels.")
    .description("Set or remove labels of clusters, HPAs or metric sources.")
    .addHelpText(
      "after",
      examples([
        ["Set one", "ebb label hpa web tier=batch"],
        ["Change it", "ebb label hpa web --overwrite tier=web"],
        ["Remove it", "ebb label hpa web tier-"],
      ]),
    );
}
