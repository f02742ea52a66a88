import { type Command, Option } from "commander";
import { type DryRun, dryRunOption, dryRunSuffix } from "./documents/document-options";
import { objectName, type PrintedObject } from "./documents/printed-object";
import type { Output } from "../shell/output";
import { documentFormat, documentFormats } from "../shell/print/output-format";
import { printDocument } from "../shell/print/print-objects";

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

/** What a verb says of the objects that it has written: a line each, or the objects themselves. */
export interface Report {
  done(object: PrintedObject, said: string): void;
  /** After the last object. */
  end(): void;
}

/** @throws Failure for a format that there is not */
export async function openReport(out: Output, options: ReportOptions): Promise<Report> {
  return await openAnyReport(out, options, false);
}

/** As kubectl's apply prints: several objects as one List. @throws Failure for a format that there is not */
export async function openListReport(out: Output, options: ReportOptions): Promise<Report> {
  return await openAnyReport(out, options, true);
}

async function openAnyReport(out: Output, { dryRun, output }: ReportOptions, asList: boolean): Promise<Report> {
  const format = await documentFormat(output);
  const written: object[] = [];
  return {
    done(object, said) {
      if (format === undefined) return out.print(`${objectName(object)} ${said}${dryRunSuffix[dryRun]}`);
      if (format.kind === "name") return out.print(objectName(object));
      written.push(object.document);
      if (asList) return;
      if (format.kind === "yaml" && written.length > 1) out.write("---\n");
      out.write(printDocument(object.document, format, out));
    },
    end() {
      const [only, ...others] = written;
      if (!asList || only === undefined || format === undefined || format.kind === "name") return;
      const list = { apiVersion: "v1", items: written, kind: "List", metadata: {} };
      out.write(printDocument(others.length === 0 ? only : list, format, out));
    },
  };
}
