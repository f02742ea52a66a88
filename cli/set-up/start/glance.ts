import { storeOn } from "../../../compose";
import { formatTable } from "../../shell/print/get-row";
import { findHpas } from "../../../lib/read/find-hpas";
import type { Table } from "../../../lib/table/reads";
import { cellsOf, headerOf, type TableStyle } from "../../look/get/columns";
import type { Output } from "../../shell/output";
import { alignFor } from "../../shell/print/fit-columns";

const style: TableStyle = { wide: false, headers: true, showLabels: false, labelColumns: [], typedNames: false };

export async function printHpas(table: Table, out: Output): Promise<void> {
  const now = () => Date.now();
  const store = storeOn(table, { now });
  const signal = AbortSignal.timeout(30_000);
  const clusters = (await store.clusters(signal)).map(({ key }) => key);
  const scope = { resource: { name: "hpa" }, clusters } as const;
  const { found, problems } = await findHpas({ store, signal, now }, scope);
  for (const problem of problems) out.warn(problem);
  if (found.length === 0) return out.note("No resources found");
  const rows = found.map((one) => cellsOf(one, scope, style));
  out.write(formatTable(headerOf(scope, style), rows, alignFor(out.terminal)));
}
