import { formatTable } from "../../lib/api/printing/get-row";
import type { Table } from "../../lib/table/reads";
import { openStore } from "../../lib/table/store";
import type { Output } from "../output";
import { findHpas } from "../resources/find-hpas";
import { cellsOf, headerOf, type TableStyle } from "./columns";

const style: TableStyle = { wide: false, headers: true, showLabels: false, labelColumns: [], typedNames: false };

/** All HPAs of all namespaces at a glance, for whoever already holds the table. */
export async function printHpas({ client, name }: Table, out: Output): Promise<void> {
  const now = () => Date.now();
  const store = openStore({ client, table: name, now });
  const signal = AbortSignal.timeout(30_000);
  const clusters = (await store.clusters(signal)).map(({ key }) => key);
  const scope = { resource: { name: "hpa" }, clusters } as const;
  const found = await findHpas({ store, signal, now, out }, scope);
  if (found.length === 0) out.note("No resources found");
  else
    out.write(
      formatTable(
        headerOf(scope, style),
        found.map((one) => cellsOf(one, scope, style)),
      ),
    );
}
