import { readFile } from "node:fs/promises";
import { type Command, Option } from "commander";
import { parse, YAMLParseError } from "yaml";
import { aliasProblem } from "../../lib/k8s/yaml-aliases";
import type { StoredEntry } from "../../lib/model/ports/entries";
import { editedEntry, type NextEntry } from "../../lib/table/next-entry";
import { changeEach } from "./annotate/change-metadata";
import { checkDocument, unusableErrors, type Where } from "./documents/check-document";
import { tableAroundEach } from "./documents/table-around";
import { addDocumentOptions, type DocumentOptions } from "../shell/input/document-options";
import { nestsTooDeeply } from "../shell/input/read-documents";
import { unreadable } from "../shell/input/read-inputs";
import { failure, invalidFailure, serverFailure } from "../shell/failure";
import { queriesOf } from "./documents/query-files";
import { tableVerb } from "../shell/table-verb";
import type { CliEnvironment } from "../shell/environment";
import { applyPatch, type PatchType, patchTypes, refuseRenaming } from "./apply-patch";
import { addReportOptions, openReport, type ReportOptions } from "./report";
import { openWrites } from "./write-each";

interface PatchOptions extends DocumentOptions, ReportOptions {
  readonly patch?: string;
  readonly patchFile?: string;
  readonly type: string;
}

export function patchCommand(environment: CliEnvironment): Command {
  return tableVerb<PatchOptions>(environment, {
    name: "patch",
    summary: "Change fields of an HPA, a cluster or a metric source.",
    description: "Change fields of objects, by a strategic merge patch, a JSON merge patch or a JSON patch.",
    arguments: [["[TYPE | TYPE/NAME]", "hpa, clusters, sources"], ["[NAME...]"]],
    options: (command) =>
      addReportOptions(
        addDocumentOptions(
          command
            .option("-p, --patch <patch>", "the patch, as JSON or YAML")
            .option("--patch-file <file>", "a file with the patch")
            .addOption(new Option("--type <type>", `the kind of patch: ${patchTypes.join(", ")}`).default("strategic")),
        ),
      ),
    examples: [
      ["Another maximum", `ebb patch hpa web -p '{"spec":{"maxReplicas":20}}'`],
      ["Without its behavior", `ebb patch hpa web --type=merge -p '{"spec":{"behavior":null}}'`],
      [
        "One member of a list",
        `ebb patch hpa web --type=json -p '[{"op":"replace","path":"/spec/metrics/0/resource/target/averageUtilization","value":60}]'`,
      ],
    ],
    async run(session, line) {
      const { options } = line;
      const type = typeOf(options.type);
      const patch = await readPatch(options);
      const queries = await queriesOf(session, line);
      const writes = openWrites(session, await openReport(session.out, options), true);
      const aroundOf = tableAroundEach(session);
      const change = async (stored: StoredEntry) => {
        const around = await aroundOf(stored);
        const { status: _status, ...before } = stored.document;
        const after = applyPatch(before, patch, type);
        refuseRenaming(before, after);
        return patched(stored, after, { settings: session.settings, ...around });
      };
      const said = (isChanged: boolean) => (isChanged ? "patched" : "patched (no change)");
      await changeEach(session, { queries, options, doing: "patching", change, said }, writes);
      return await writes.end(writes.written);
    },
  });
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

/** @throws Failure, in the API server's words */
function patched(stored: StoredEntry, after: unknown, where: Where): NextEntry {
  const { ref } = stored;
  const result = checkDocument(after, ref.namespace ?? "", { stored: stored.document });
  if ("checked" in result && result.checked.ref.kind !== ref.kind)
    throw serverFailure("BadRequest", `kind: expected ${ref.kind}, got ${result.checked.ref.kind}`);
  const invalid = "checked" in result ? unusableErrors(result.checked, where) : result.errors;
  if ("checked" in result && invalid.length === 0) return editedEntry(stored, result.checked.document);
  throw invalidFailure(
    ref,
    invalid.map(({ text }) => text),
  );
}
