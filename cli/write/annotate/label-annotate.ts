import type { Command } from "commander";
import { decodeStored } from "../../../lib/k8s/codec/decode-stored";
import { isMap, present } from "../../../lib/k8s/map";
import { validateHpa } from "../../../lib/k8s/validate/validate-hpa";
import { annotationErrors } from "../../../lib/model/entry/annotations";
import { kinds } from "../../../lib/model/entry/kinds";
import { syncPeriodAnnotation } from "../../../lib/model/entry/options";
import { rulesAnnotation } from "../../../lib/model/entry/metric-rules";
import { validateHpaEntry } from "../../../lib/model/entry/validate-hpa-entry";
import type { EntryContent, StoredEntry } from "../../../lib/model/ports/entries";
import type { NextEntry } from "../../../lib/table/next-entry";
import { failure, invalidFailure } from "../../shell/failure";
import type { ResourceQuery } from "../../shell/input/parse-targets";
import { entryKindOf } from "../../shell/input/find";
import { timeoutErrors } from "../documents/check-timeouts";
import { tableAroundEach } from "../documents/table-around";
import { queriesOf } from "../documents/query-files";
import type { Session } from "../../shell/session";
import { tableVerb, type VerbHelp } from "../../shell/table-verb";
import type { CliEnvironment } from "../../shell/environment";
import { addReportOptions, openReport, type Report, type ReportOptions } from "../report";
import { openWrites } from "../write-each";
import { changeEach, type MetadataChanges, metadataIn, withMetadata } from "./change-metadata";
import { addChoiceOptions, type ChoiceOptions } from "./choose-entries";
import { validateLabelsAndAnnotations } from "../../../lib/k8s/validate/validate-meta";

interface MetadataOptions extends ChoiceOptions, ReportOptions {
  readonly overwrite?: boolean;
  readonly list?: boolean;
}

interface MetadataVerb extends Omit<VerbHelp, "name"> {
  readonly field: keyof MetadataChanges;
  readonly said: (changes: MetadataArguments["changes"], isChanged: boolean) => string;
}

/** Like kubectl's verb. */
function metadataCommand(environment: CliEnvironment, name: string, { field, said, ...help }: MetadataVerb): Command {
  return tableVerb<MetadataOptions>(environment, {
    name,
    ...help,
    arguments: [["[argument...]", "TYPE NAME… key=value… key-…, or TYPE/NAME…; a key with - at its end is removed"]],
    options: (command) =>
      addReportOptions(
        addChoiceOptions(
          command
            .option("--overwrite", "change values that are set already")
            .option("--list", `print the ${field}, after the changes`),
        ),
      ),
    async run(session, line) {
      const { options } = line;
      const { overwrite = false, list = false, output } = options;
      if (list && output !== undefined) throw failure("--list and --output may not be specified together");
      const { targets: args, changes } = parseChanges(line.args, field, list);
      const queries = await queriesOf(session, { ...line, args });
      if (field === "annotations") refuseUnreadable(queries, changes);
      const writes = openWrites(
        session,
        list ? metadataLister(session.out, field) : await openReport(session.out, options),
      );
      const aroundOf = tableAroundEach(session);
      const change = async (stored: StoredEntry) => {
        if (!overwrite) refuseOverwriting(metadataIn(stored, field), changes);
        if (field === "annotations") refuseMisnamedRules(stored, changes);
        const next = withMetadata(stored, { [field]: changes });
        if (next.change !== "unchanged") refuseInvalid(stored, next);
        if (Object.hasOwn(changes, syncPeriodAnnotation)) await refuseSlowSources({ ...stored, ...next }, aroundOf);
        return next;
      };
      const saidOf = (isChanged: boolean) => said(changes, isChanged);
      await changeEach(session, { queries, options, doing: "changing", change, said: saidOf }, writes);
      return await writes.end();
    },
  });
}

/** For `--list`: several objects get headings, as in kubectl. */
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

/** @throws Failure for an annotation that no sync could read */
function refuseUnreadable(targets: readonly ResourceQuery[], changes: MetadataArguments["changes"]): void {
  const set = Object.entries(changes).filter((change): change is [string, string] => change[1] !== null);
  for (const { resource } of targets) {
    const kind = entryKindOf(resource.name);
    const [wrong] = kind === undefined ? [] : annotationErrors(kind, { annotations: Object.fromEntries(set) });
    if (wrong !== undefined) throw failure(wrong.text);
  }
}

/** As the API server, which checks the whole HPA at every change. @throws Failure */
function refuseInvalid({ ref, document: stored }: StoredEntry, { document }: NextEntry): void {
  if (ref.kind !== "HorizontalPodAutoscaler") return;
  const before = decodeStored(stored, "known");
  const { errors } = validateHpa(document, { assumeKind: true, ...present({ stored: before }) });
  if (errors.length > 0) throw invalidFailure(ref, errors);
}

/** @throws Failure if a source may take longer than half of the new period */
async function refuseSlowSources(changed: EntryContent, aroundOf: ReturnType<typeof tableAroundEach>): Promise<void> {
  const errors = timeoutErrors(changed, await aroundOf(changed)).map(({ text }) => text);
  if (errors.length > 0) throw invalidFailure(changed.ref, errors);
}

/** @throws Failure for rules of metrics that a valid HPA does not have */
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

export function labelCommand(environment: CliEnvironment): Command {
  return metadataCommand(environment, "label", {
    field: "labels",
    said(changes, isChanged) {
      if (!isChanged) return "not labeled";
      return Object.values(changes).every((value) => value === null) ? "unlabeled" : "labeled";
    },
    summary: "Set or remove labels.",
    description: "Set or remove labels of clusters, HPAs or metric sources.",
    examples: [
      ["Set one", "ebb label hpa web tier=batch"],
      ["Change it", "ebb label hpa web --overwrite tier=web"],
      ["Remove it", "ebb label hpa web tier-"],
      ["Show them", "ebb label hpa web --list"],
    ],
  });
}

export function annotateCommand(environment: CliEnvironment): Command {
  return metadataCommand(environment, "annotate", {
    field: "annotations",
    said: () => "annotated",
    summary: "Set or remove annotations.",
    description: "Set or remove annotations of clusters, HPAs or metric sources.",
    examples: [
      ["Set one", "ebb annotate hpa web team=checkout"],
      [
        "Change one and remove another, of all HPAs of a namespace",
        "ebb annotate hpa --all -n shop --overwrite team=cart owner-",
      ],
    ],
  });
}

interface MetadataArguments {
  /** TYPE NAME…, or TYPE/NAME…. */
  readonly targets: readonly string[];
  /** By name; null removes one. */
  readonly changes: Readonly<Record<string, string | null>>;
}

/** Reads `TYPE NAME… key=value… key-…`; a key's last value wins. @throws Failure in kubectl's words */
function parseChanges(args: readonly string[], field: keyof MetadataChanges, mayBeNone: boolean): MetadataArguments {
  const isChange = (arg: string) => arg.includes("=") || arg.endsWith("-");
  const first = args.findIndex(isChange);
  const what = field === "labels" ? "label" : "annotation";
  if (first === -1 && mayBeNone) return { targets: args, changes: {} };
  if (first === -1) throw failure(`at least one ${what} update is required`);
  const given = args.slice(first);
  const late = given.find((arg) => !isChange(arg));
  if (late !== undefined) throw failure(`all resources must be specified before ${what} changes: ${late}`);
  const changes = Object.fromEntries(given.map(readChange));
  const set = Object.entries(changes).filter((change): change is [string, string] => change[1] !== null);
  const [wrong] = validateLabelsAndAnnotations({ [field]: Object.fromEntries(set) });
  if (wrong !== undefined) throw failure(wrong.text);
  return { targets: args.slice(0, first), changes };
}

function readChange(arg: string): readonly [string, string | null] {
  const at = arg.indexOf("=");
  return at === -1 ? [arg.slice(0, -1), null] : [arg.slice(0, at), arg.slice(at + 1)];
}
