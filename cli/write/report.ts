import { type Command, Option } from "commander";
import { kinds } from "../../lib/model/entry/kinds";
import type { EntryContent, EntryRef } from "../../lib/model/ports/entries";
import { type DryRun, dryRunOption, dryRunSuffix } from "../shell/input/document-options";
import type { Output } from "../shell/output";
import { documentFormat, documentFormats, printDocument } from "../shell/print/output-format";

export interface ReportOptions {
  readonly dryRun: DryRun;
  readonly output?: string;
}

export function addReportOptions(command: Command): Command {
  return command
    .addOption(dryRunOption())
    .addOption(new Option("-o, --output <format>", `print the objects as they are written: ${documentFormats}`));
}

/** A line for each written object, or the objects themselves. */
export interface Report {
  done(object: Pick<EntryContent, "document"> & { readonly ref: Named }, said: string): void;
  /** After the last object. */
  end(): void;
}

type Named = Pick<EntryRef, "kind" | "name">;

export function objectName({ kind, name }: Named): string {
  return `${kinds[kind].singular}/${name}`;
}

/** `asList`: prints one List, as kubectl's apply. @throws Failure */
export async function openReport(
  out: Output,
  { dryRun, output }: ReportOptions,
  asList: boolean = false,
): Promise<Report> {
  const format = await documentFormat(output);
  const written: object[] = [];
  return {
    done({ ref, document }, said) {
      if (format === undefined) return out.print(`${objectName(ref)} ${said}${dryRunSuffix[dryRun]}`);
      if (format.kind === "name") return out.print(objectName(ref));
      written.push(document);
      if (asList) return;
      if (format.kind === "yaml" && written.length > 1) out.write("---\n");
      out.write(printDocument(document, format, out));
    },
    end() {
      const [only, ...others] = written;
      if (!asList || only === undefined || format === undefined || format.kind === "name") return;
      const list = { apiVersion: "v1", items: written, kind: "List", metadata: {} };
      out.write(printDocument(others.length === 0 ? only : list, format, out));
    },
  };
}
