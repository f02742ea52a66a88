import { Command, Option } from "commander";
import { formatTable } from "../shell/print/get-row";
import { eventColumns, eventHistoryRow, type EventChoice, eventFilter, eventTypes } from "./print-events";
import type { Listing } from "../../lib/read/find";
import type { Scope } from "../../lib/read/found";
import { addGlobalOptions } from "../shell/global-options";
import { objectPrinter, type RowStyle, rowPrinter, watch } from "./get/watch";
import { examples } from "../shell/help";
import type { Output } from "../shell/output";
import { alignFor } from "../shell/print/fit-columns";
import { documentFormat, documentFormats, nameLine, type Printable, printDocument } from "../shell/print/output-format";
import { find, locationOf } from "../shell/input/find";
import { otherNamespaces, suggestions } from "../shell/input/suggest";
import { type Session, withSession } from "../shell/session";
import type { CliEnvironment } from "../shell/environment";

interface EventsOptions extends EventChoice {
  readonly allNamespaces?: boolean;
  readonly headers: boolean;
  readonly output?: string;
  readonly watch?: boolean;
}

export function eventsCommand(environment: CliEnvironment): Command {
  const command = new Command("events")
    .summary("Show what happened to HPAs in the last hour.")
    .description("List the events of HPAs, the latest last: how often each occurred, and since when.")
    .option("-A, --all-namespaces", "events in all namespaces")
    .option("--for <type/name>", "only events of this object: hpa/NAME")
    .option("--no-headers", "leave out the header line")
    .addOption(new Option("-o, --output <format>", documentFormats))
    .addOption(new Option("--types <types>", "only events of these types: Normal, Warning").argParser(eventTypes))
    .option("-w, --watch", "then keep watching, with a line for each new event")
    .addHelpText(
      "after",
      examples([
        ["What happened in a namespace", "ebb events -n shop"],
        ["What happened to one HPA, and what happens next", "ebb events --for hpa/web --watch"],
        ["What went wrong anywhere", "ebb events -A --types=Warning"],
      ]),
    );
  return addGlobalOptions(command).action((options: EventsOptions, self: Command) =>
    withSession(environment, self, (session) => events(session, options)),
  );
}

async function events(session: Session, options: EventsOptions): Promise<void> {
  const { out } = session;
  const format = await documentFormat(options.output);
  const isAsked = eventFilter(options);
  const look = async () => {
    const listing = await find(session, { resource: { name: "events" } }, options);
    return [{ ...listing, found: listing.found.filter(isAsked) }];
  };
  if (options.watch === true) {
    const print =
      format === undefined ? rowPrinter(out, { ...rows, headers: options.headers }) : objectPrinter(out, format, false);
    return await watch({ session, look, print, showsDeleted: false });
  }
  for (const listing of await out.during("Reading the table", look())) {
    if (listing.found.length === 0) return await noteNoEvents(session, listing, options.for);
    const printables = listing.found.map((found) => ({ scope: listing.scope, found }));
    if (format === undefined) out.write(tableOf(out, printables, { scope: listing.scope, headers: options.headers }));
    else if (format.kind === "name") out.write(printables.map(nameLine).join(""));
    else out.write(printDocument(listOf(listing), format, out));
  }
}

async function noteNoEvents(session: Session, { scope }: Listing, about: string | undefined): Promise<void> {
  const { namespace } = scope;
  session.out.note(namespace === undefined ? "No events found." : `No events found in ${namespace} namespace.`);
  const name = about?.split("/")[1] ?? "";
  const [meant] = name === "" ? [] : await suggestions(session, locationOf(scope), [name]);
  const hint = meant ?? (await otherNamespaces(session, locationOf(scope)));
  if (hint !== undefined) session.out.note(hint);
}

function listOf({ found }: Listing): object {
  return { kind: "EventList", apiVersion: "v1", metadata: {}, items: found.map(({ object }) => object) };
}

const rows: Omit<RowStyle, "headers"> = {
  headerOf: ({ clusters, namespace }) => [
    ...(clusters.length > 1 ? ["CLUSTER"] : []),
    ...(namespace === undefined ? ["NAMESPACE"] : []),
    ...eventColumns,
  ],
  cellsOf: ({ scope: { clusters, namespace }, found }) => [
    ...(clusters.length > 1 ? [found.cluster] : []),
    ...(namespace === undefined ? [found.namespace ?? ""] : []),
    ...(found.type === "events"
      ? eventHistoryRow({ ...found.event, object: `HorizontalPodAutoscaler/${found.hpa}` }, found.readAt)
      : []),
  ],
};

function tableOf(
  { terminal }: Pick<Output, "terminal">,
  printables: readonly Printable[],
  { scope, headers }: { readonly scope: Scope; readonly headers: boolean },
): string {
  const header = rows.headerOf(scope);
  return formatTable(headers ? header : undefined, printables.map(rows.cellsOf), alignFor(terminal, header));
}
