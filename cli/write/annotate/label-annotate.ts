import { Command } from "commander";
import { isMap } from "../../../lib/k8s/map";
import { annotationErrors } from "../../../lib/model/entry/annotations";
import { kinds } from "../../../lib/model/entry/kinds";
import { rulesAnnotation } from "../../../lib/model/entry/metric-rules";
import { validateHpaEntry } from "../../../lib/model/entry/validate-hpa-entry";
import type { StoredEntry } from "../../../lib/model/ports/entries";
import { failure } from "../../shell/failure";
import { addGlobalOptions } from "../../shell/global-options";
import { examples } from "../../shell/help";
import type { ResourceQuery } from "../../shell/resources/parse-targets";
import { entryKindOf } from "../../shell/resources/find";
import { queriesOf } from "../../shell/resources/query-files";
import { type Session, withSession } from "../../shell/session";
import type { CliEnvironment } from "../../shell/environment";
import { addReportOptions, openReport, type Report, type ReportOptions } from "../report";
import { openWrites } from "../write-each";
import { changeEach, type MetadataChanges, metadataIn, withMetadata } from "./change-metadata";
import { addChoiceOptions, type ChoiceOptions } from "./choose-entries";
import { type MetadataArguments, parseChanges } from "./parse-changes";

interface MetadataOptions extends ChoiceOptions, ReportOptions {
  readonly overwrite?: boolean;
  readonly list?: boolean;
}

export interface MetadataVerb {
  readonly verb: string;
  readonly field: keyof MetadataChanges;
  /** What is printed after an object's name. */
  readonly said: (changes: MetadataArguments["changes"], isChanged: boolean) => string;
}

/** A verb that sets and removes labels or annotations, as kubectl's. */
export function metadataCommand(environment: CliEnvironment, { verb, field, said }: MetadataVerb): Command {
  const command = new Command(verb)
    .argument("[argument...]", "TYPE NAME… key=value… key-…, or TYPE/NAME…; a key with - at its end is removed")
    .option("--overwrite", "change values that are set already")
    .option("--list", `print the ${field}, after the changes`);
  return addGlobalOptions(addReportOptions(addChoiceOptions(command))).action(
    (args: readonly string[], options: MetadataOptions, self: Command) =>
      withSession(environment, self, async (session) => {
        // Upstream refuses it of label alone: kubectl pkg/cmd/label/label.go
        if (field === "labels" && options.list === true && options.output !== undefined)
          throw failure("--list and --output may not be specified together");
        const { targets: named, changes } = parseChanges(args, field, options.list === true);
        const queries = await queriesOf(session, { args: named, options, command: self, stdin: environment.stdin });
        if (field === "annotations") refuseUnreadable(queries, changes);
        const { out } = session;
        const report = options.list === true ? metadataLister(out, field) : await openReport(out, options);
        const writes = openWrites(session, report);
        const changing = {
          queries,
          options,
          doing: "changing",
          change(stored: StoredEntry) {
            if (options.overwrite !== true) refuseOverwriting(metadataIn(stored, field), changes);
            if (field === "annotations") refuseMisnamedRules(stored, changes);
            return withMetadata(stored, { [field]: changes });
          },
          said: (isChanged: boolean) => said(changes, isChanged),
        };
        await changeEach(session, changing, writes);
        return await writes.end();
      }),
  );
}

/** Prints what `--list` asks for: of one object its marks, of several each with a heading, as kubectl does. */
function metadataLister(out: Session["out"], field: keyof MetadataChanges): Report {
  const listed: Parameters<Report["done"]>[0][] = [];
  return {
    done: (object) => void listed.push(object),
    end() {
      for (const { ref, document } of listed) {
        const { kind, name } = ref;
        const group = kinds[kind].apiVersion.split("/")[0];
        if (listed.length > 1) out.print(`Listing ${field} for ${kind}.${group}/${name}:`);
        const values = Object.entries(metadataIn({ document }, field)).sort(([a], [b]) => (a < b ? -1 : 1));
        for (const [key, value] of values) out.print(`${listed.length > 1 ? " " : ""}${key}=${String(value)}`);
      }
    },
  };
}

/** Annotations that the sync could not read. @throws Failure */
function refuseUnreadable(targets: readonly ResourceQuery[], changes: MetadataArguments["changes"]): void {
  const set = Object.entries(changes).filter((change): change is [string, string] => change[1] !== null);
  for (const { resource } of targets) {
    const kind = entryKindOf(resource.name);
    const [wrong] = kind === undefined ? [] : annotationErrors(kind, { annotations: Object.fromEntries(set) });
    if (wrong !== undefined) throw failure(wrong.text);
  }
}

/** Rules of metrics that the HPA does not have. An HPA that is invalid anyway is not looked at. @throws Failure */
function refuseMisnamedRules({ document }: StoredEntry, changes: MetadataArguments["changes"]): void {
  const rules = changes[rulesAnnotation];
  const metadata = document["metadata"];
  if (typeof rules !== "string" || !isMap(metadata)) return;
  const annotated = { ...document, metadata: { ...metadata, annotations: { [rulesAnnotation]: rules } } };
  const wrong = validateHpaEntry(annotated).errors.find((text) => text.includes(`[${rulesAnnotation}]`));
  if (wrong !== undefined) throw failure(wrong);
}

/** @throws Failure in kubectl's words */
function refuseOverwriting(stored: Readonly<Record<string, unknown>>, changes: MetadataArguments["changes"]): void {
  for (const [name, value] of Object.entries(changes)) {
    const before = stored[name];
    if (value === null || before === undefined || before === value) continue;
    throw failure(
      `'${name}' already has a value (${typeof before === "string" ? before : JSON.stringify(before)}), and --overwrite is false`,
    );
  }
}

/** `ebb label`: sets and removes labels. */
export function labelCommand(environment: CliEnvironment): Command {
  const said = (changes: Readonly<Record<string, string | null>>, isChanged: boolean) => {
    if (!isChanged) return "not labeled";
    return Object.values(changes).every((value) => value === null) ? "unlabeled" : "labeled";
  };
  return metadataCommand(environment, { verb: "label", field: "labels", said })
    .summary("Set or remove labels.")
    .description("Set or remove labels of clusters, HPAs or metric sources.")
    .addHelpText(
      "after",
      examples([
        ["Set one", "ebb label hpa web tier=batch"],
        ["Change it", "ebb label hpa web --overwrite tier=web"],
        ["Remove it", "ebb label hpa web tier-"],
        ["Show them", "ebb label hpa web --list"],
      ]),
    );
}

/** `ebb annotate`: sets and removes annotations. */
export function annotateCommand(environment: CliEnvironment): Command {
  return metadataCommand(environment, { verb: "annotate", field: "annotations", said: () => "annotated" })
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
