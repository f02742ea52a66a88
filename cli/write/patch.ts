import { readFile } from "node:fs/promises";
import { Command, Option } from "commander";
import { parse, YAMLParseError } from "yaml";
import { once } from "../../lib/async/shared";
import { aliasProblem } from "../../lib/k8s/yaml-aliases";
import type { KnownEntries } from "../../lib/sources/validate-parameters";
import type { EntryDocument, StoredEntry } from "../../lib/model/ports/entries";
import { editedEntry, type NextEntry } from "../../lib/table/next-entry";
import { checkDocument } from "./documents/check-document";
import { sourcesOf, unusableErrors } from "./documents/unusable";
import { addDocumentOptions, type DocumentOptions } from "./documents/document-options";
import { objectName } from "./documents/printed-object";
import { nestsTooDeeply } from "./documents/read-documents";
import { unreadable } from "./documents/read-inputs";
import { failure, failureText, isFailure, serverFailure } from "../shell/failure";
import { addGlobalOptions } from "../shell/global-options";
import { examples } from "../shell/help";
import { eachInOrder } from "../shell/in-order";
import { chooseEntries } from "./annotate/choose-entries";
import { argsOf, queriesOf } from "../shell/resources/query-files";
import { type Session, withSession } from "../shell/session";
import type { CliEnvironment } from "../shell/environment";
import { applyPatch, type PatchType, patchTypes, refuseRenaming } from "./apply-patch";
import { entryWarnings, type WrittenEntry } from "./entry-warnings";
import { overwrite } from "./overwrite";
import { addReportOptions, openReport, type ReportOptions } from "./report";

interface PatchOptions extends DocumentOptions, ReportOptions {
  readonly patch?: string;
  readonly patchFile?: string;
  readonly type: string;
}

/** `ebb patch`: changes some fields of entries. */
export function patchCommand(environment: CliEnvironment): Command {
  const command = new Command("patch")
    .summary("Change fields of an HPA, a cluster or a metric source.")
    .description("Change fields of objects, by a strategic merge patch, a JSON merge patch or a JSON patch.")
    .argument("[TYPE | TYPE/NAME]", "hpa, clusters, sources")
    .argument("[NAME...]")
    .option("-p, --patch <patch>", "the patch, as JSON or YAML")
    .option("--patch-file <file>", "a file with the patch")
    .addOption(new Option("--type <type>", `the kind of patch: ${patchTypes.join(", ")}`).default("strategic"))
    .addHelpText(
      "after",
      examples([
        ["Another maximum", `ebb patch hpa web -p '{"spec":{"maxReplicas":20}}'`],
        ["Without its behavior", `ebb patch hpa web --type=merge -p '{"spec":{"behavior":null}}'`],
        [
          "One member of a list",
          `ebb patch hpa web --type=json -p '[{"op":"replace","path":"/spec/metrics/0/resource/target/averageUtilization","value":60}]'`,
        ],
      ]),
    );
  return addGlobalOptions(addReportOptions(addDocumentOptions(command))).action(
    (type: string | undefined, names: readonly string[], options: PatchOptions, self: Command) =>
      withSession(environment, self, async (session) => {
        const patchType = typeOf(options.type);
        const patch = await readPatch(options);
        const args = argsOf(type, names);
        const queries = await queriesOf(session, { args, options, command: self, stdin: environment.stdin });
        return await patchEach(session, {
          queries,
          options,
          change: (stored, known) => patched(stored, { known, ...session }, (one) => applyPatch(one, patch, patchType)),
        });
      }),
  );
}

function typeOf(given: string): PatchType {
  const type = patchTypes.find((one) => one === given.toLowerCase());
  if (type === undefined) throw failure(`--type must be one of [json merge strategic], not "${given}"`);
  return type;
}

async function readPatch({ patch, patchFile }: PatchOptions): Promise<unknown> {
  if (patch && patchFile) throw failure("cannot specify --patch and --patch-file together");
  if (!patch && !patchFile) throw failure("must specify --patch or --patch-file containing the contents of the patch");
  const text = patch || (await fileText(patchFile ?? ""));
  const problem = nestsTooDeeply(text) ? "nested too deeply" : aliasProblem(text);
  if (problem !== undefined) throw failure(`unable to parse the patch: ${problem}`);
  try {
    return parse(text, { version: "1.1", prettyErrors: false });
  } catch (error) {
    if (!(error instanceof YAMLParseError) && !(error instanceof ReferenceError)) throw error;
    throw failure(`unable to parse the patch: ${error.message}`);
  }
}

async function fileText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw failure(`unable to read patch file: ${unreadable(path, error).message}`);
  }
}

/** @throws Failure, in the API server's words, when the result is not valid */
function patched(
  stored: StoredEntry,
  { known, settings }: Pick<Session, "settings"> & { readonly known: KnownEntries },
  change: (object: EntryDocument) => unknown,
): NextEntry {
  const { ref, document } = stored;
  const { status: _status, ...before } = document;
  const after = change(before);
  refuseRenaming(before, after);
  const result = checkDocument(after, ref.namespace ?? "");
  if ("checked" in result && result.checked.kind !== ref.kind)
    throw serverFailure("BadRequest", `kind: expected ${ref.kind}, got ${result.checked.kind}`);
  const invalid = "checked" in result ? unusableErrors(result.checked, { known, settings }) : result.errors;
  if ("checked" in result && invalid.length === 0) return editedEntry(stored, result.checked.document);
  const texts = [...new Set(invalid.map(({ text }) => text))];
  const [only = "", ...more] = texts;
  const errors = more.length === 0 ? only : texts.map((text) => `\n* ${text}`).join("");
  throw failure(`The ${ref.kind} ${JSON.stringify(ref.name)} is invalid: ${errors}`);
}

interface Patching {
  readonly queries: Awaited<ReturnType<typeof queriesOf>>;
  readonly options: PatchOptions;
  readonly change: (stored: StoredEntry, known: KnownEntries) => NextEntry;
}

/** Patches entries in order. Reports each failure, and continues. Returns the exit code. */
async function patchEach(session: Session, { queries, options, change }: Patching): Promise<number> {
  const { out } = session;
  const report = await openReport(out, options);
  const isDryRun = options.dryRun !== "none";
  const problems: string[] = [];
  const sources = once<KnownEntries>();
  const written: WrittenEntry[] = [];
  for (const query of queries) {
    const { entries, missing } = await out.during("reading the table", chooseEntries(session, query, {}));
    await eachInOrder(session, entries, {
      doing: ({ ref }) => `patching ${objectName(ref)}`,
      call: async (entry) => {
        const { cluster } = entry.ref;
        const known = await sources(cluster, () => sourcesOf(cluster, [], session));
        return await overwrite(entry, (stored) => change(stored, known), { ...session, isDryRun });
      },
      done(next, { ref }) {
        const said = next.change === "unchanged" ? "patched (no change)" : "patched";
        report.done({ ...ref, document: next.document }, said);
        written.push({ ref, document: next.document });
      },
      failed(error) {
        if (!isFailure(error)) return false;
        problems.push(failureText(error));
        return true;
      },
    });
    problems.push(...missing);
  }
  report.end();
  for (const warning of await entryWarnings(written, session)) out.warn(warning);
  for (const problem of problems) out.note(...problem.split("\n"));
  return problems.length === 0 ? 0 : 1;
}
