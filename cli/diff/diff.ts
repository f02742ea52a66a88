import { Command } from "commander";
import { toYaml } from "../../lib/api/printing/to-yaml";
import type { EntryRef } from "../../lib/table/entry-item";
import { planEntry, type PlannedEntry } from "../apply/apply-entry";
import { readPlaced } from "../apply/read-placed";
import { type Compared, unifiedDiff } from "./unified-diff";
import { addDocumentOptions, type DocumentOptions } from "../documents/document-options";
import { examples } from "../examples";
import { failure, failureText } from "../failure";
import { addGlobalOptions } from "../global-options";
import type { Output } from "../output";
import { withSession } from "../session";
import type { Surroundings } from "../surroundings";

/** As diff(1) and kubectl have it: what went wrong is no difference. */
const same = 0;
const different = 1;
const failed = 2;

/** `ebb diff -f`: what `ebb apply -f` would change. */
export function diffCommand(surroundings: Surroundings): Command {
  const command = new Command("diff")
    .description("Show what apply would change. Exits with 0 for no differences, 1 for differences, 2 for an error.")
    .addHelpText(
      "after",
      examples([
        ["What applying a file would change", "ebb diff -f hpa.yaml"],
        ["What applying a folder would change, read with a pager", "ebb diff -R -f deploy/ --color always | less -R"],
      ]),
    );
  return addGlobalOptions(addDocumentOptions(command)).action(async (options: DocumentOptions, self: Command) => {
    try {
      await withSession(surroundings, self, async (session) => {
        const { out } = session;
        const style: Output["style"] = (...given) => out.style(...given);
        let code = same;
        for (const document of await readPlaced({ options, command: self, stdin: surroundings.stdin }, session)) {
          const planned = await out.during(`reading ${document.name}`, planEntry(document, session));
          const difference = unifiedDiff(compared(document.ref, planned), style);
          out.write(difference);
          if (difference !== "") code = different;
        }
        return code;
      });
    } catch (error) {
      throw failure(failureText(error), failed);
    }
  });
}

/** Named as kubectl names an object's file, below its cluster: "prod/autoscaling.v2.HorizontalPodAutoscaler.shop.web". */
function compared({ kind, cluster, namespace = "", name }: EntryRef, { standing, document }: PlannedEntry): Compared {
  const version = String(document["apiVersion"]).replace("/", ".");
  return {
    name: `${cluster}/${version}.${kind}.${namespace}.${name}`,
    live: standing === undefined ? "" : toYaml(standing.document),
    merged: toYaml(document),
  };
}
