import { type Command, Option } from "commander";
import { type DryRun, dryRunOption, dryRunSuffix } from "../documents/document-options";
import { objectName, type PrintedObject } from "../documents/format-objects";
import type { Output } from "../output";
import { documentFormat, documentFormats } from "../print/output-format";
import { printDocument } from "../print/print-objects";

/** The options of every verb that writes entries. */
export interface ReportOptions {
  readonly dryRun: DryRun;
  readonly output?: string;
}

export function addReportOptions(command: Command): Command {
  return command
    .addOption(dryRunOption())
    .addOption(new Option("-o, --output <format>", `print the objects as they are written: ${documentFormats}`));
}

/** What a verb says of each object that it has written: a line, or the object itself. */
export interface Report {
  done(object: PrintedObject, said: string): void;
}

/** @throws Failure for a format that there is not */
export async function openReport(out: Output, { dryRun, output }: ReportOptions): Promise<Report> {
  const format = await documentFormat(output);
  let isFirst = true;
  return {
    done(object, said) {
      if (format === undefined) return out.print(`${objectName(object)} ${said}${dryRunSuffix[dryRun]}`);
      if (format.kind === "name") return out.print(objectName(object));
      if (format.kind === "yaml" && !isFirst) out.write("---\n");
      isFirst = false;
      out.write(printDocument(object.document, format));
    },
  };
}
