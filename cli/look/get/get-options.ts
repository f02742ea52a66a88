import { type Command, Option } from "commander";
import { addDocumentOptions, collect, type DocumentOptions } from "../../shell/input/document-options";
import { type EventChoice, eventTypes } from "../event-filter";
import { tableFormats } from "../../shell/print/output-format";
import type { Narrowing } from "../../shell/resources/find";

export interface GetOptions extends Narrowing, DocumentOptions, EventChoice {
  readonly output?: string;
  readonly watch?: boolean;
  readonly headers: boolean;
  readonly showKind?: boolean;
  readonly showLabels?: boolean;
  readonly labelColumns?: readonly string[];
  readonly sortBy?: string;
  readonly ignoreNotFound?: boolean;
}

export function addGetOptions(command: Command): Command {
  return addDocumentOptions(command)
    .option("-A, --all-namespaces", "objects in all namespaces")
    .option("-l, --selector <selector>", "objects whose labels match, such as -l app=web,tier!=cache")
    .option("--field-selector <selector>", "objects with these fields: metadata.name=web, of events also reason=…")
    .option("-o, --output <format>", tableFormats)
    .option("-w, --watch", "then keep watching, with a line for each change")
    .option("--no-headers", "leave out the header line")
    .option("--show-kind", "names with their type")
    .option("--show-labels", "a last column with all labels")
    .option("-L, --label-columns <labels>", "a column for each of these labels", collect)
    .option("--sort-by <path>", "sort by this field, such as .spec.maxReplicas")
    .option("--ignore-not-found", "do not fail when a name does not exist")
    .addOption(new Option("--for <type/name>", "only events of this object").helpGroup("Options of get events:"))
    .addOption(
      new Option("--types <types>", "only events of these types: Normal, Warning")
        .argParser(eventTypes)
        .helpGroup("Options of get events:"),
    );
}
