import type { Command } from "commander";
import { FILE_HEADERS_ONLY, createTwoFilesPatch } from "diff";
import { present } from "../../lib/k8s/map";
import { escapeLine, escapeTerminal } from "../../lib/k8s/escape-terminal";
import { toYaml } from "../shell/print/to-yaml";
import { type PlannedEntry, planEntry } from "../../lib/table/apply-entry";
import type { EntryRef } from "../../lib/model/ports/entries";
import { readPlaced } from "./place-documents";
import { refuseUnusable } from "./refuse-unusable";
import { type WriteOptions, addWriteOptions } from "../shell/input/document-options";
import { eachInOrder } from "../shell/in-order";
import type { Output, Style } from "../shell/output";
import { tableVerb } from "../shell/table-verb";
import type { CliEnvironment } from "../shell/environment";

export interface Compared {
  /** "autoscaling.v2.HorizontalPodAutoscaler.shop.web" */
  readonly name: string;
  /** Empty: no such entry. */
  readonly live: string;
  readonly merged: string;
}

/** Like `diff -u -N` for the folders LIVE and MERGED, as `kubectl diff` prints; "" for equal texts. */
export function unifiedDiff({ name, live, merged }: Compared, style: Output["style"] = plain): string {
  if (live === merged) return "";
  const [left, right] = [`LIVE/${escapeLine(name)}`, `MERGED/${escapeLine(name)}`];
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  const patch = createTwoFilesPatch(left, right, live, merged, undefined, undefined, options);
  const lines = [`diff -u -N ${left} ${right}`, ...patch.trimEnd().split("\n")];
  return lines.map((line, index) => `${style(styleOf(line, index), escapeTerminal(line))}\n`).join("");
}

const headerLines = 3;

function styleOf(line: string, index: number): Style {
  if (index < headerLines) return "bold";
  const styles: Readonly<Record<string, Style>> = { "@": "cyan", "-": "red", "+": "green" };
  return styles[line.charAt(0)] ?? "reset";
}

function plain(_: Style, text: string): string {
  return text;
}

/** As in diff(1) and kubectl. */
const same = 0;
const different = 1;
const failed = 2;

export function diffCommand(environment: CliEnvironment): Command {
  return tableVerb<WriteOptions>(environment, {
    name: "diff",
    description: "Show what apply would change. Exits with 0 for no differences, 1 for differences, 2 for an error.",
    options: addWriteOptions,
    examples: [
      ["What applying a file would change", "ebb diff -f hpa.yaml"],
      ["What applying a folder would change, read with a pager", "ebb diff -R -f deploy/ --color always | less -R"],
    ],
    failed,
    async run(session, line) {
      const { out } = session;
      const style: Output["style"] = (...given) => out.style(...given);
      let code = same;
      const placed = await readPlaced(line, session);
      await refuseUnusable(placed, session);
      await eachInOrder(session, placed, {
        doing: ({ ref }) => `reading ${ref.name}`,
        call: (given) => planEntry(given, { ...session, ...present({ admit: given.admit }) }),
        done(planned, { ref }) {
          const difference = unifiedDiff(compared(ref, planned), style);
          out.write(difference);
          if (difference !== "") code = different;
        },
      });
      return code;
    },
  });
}

/** kubectl's file name, in a folder of the cluster: "prod/autoscaling.v2.HorizontalPodAutoscaler.shop.web". */
function compared({ kind, cluster, namespace = "", name }: EntryRef, { stored, document }: PlannedEntry): Compared {
  const version = String(document["apiVersion"]).replace("/", ".");
  return {
    name: `${cluster}/${version}.${kind}.${namespace}.${name}`,
    live: stored === undefined ? "" : toYaml(stored.document),
    merged: toYaml(document),
  };
}
