import { followTable, type OpenedTable } from "../../cli/shell/connect/open-table";
import { type DynamoClient, GetItemCommand } from "../../lib/aws/http/dynamodb-commands";

const command = new GetItemCommand({ TableName: "ebb", Key: {} });

function tableThat(send: () => Promise<unknown>) {
  const closed = { times: 0 };
  const client = { send, destroy: () => undefined } as unknown as DynamoClient;
  const close = () => Promise.resolve(void (closed.times += 1));
  return { opened: { table: { client, name: "ebb" }, close } satisfies OpenedTable, closed };
}
const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

test("requests that a run refused when it ended go to the table that is opened once then", async () => {
  const run = tableThat(failing("ECONNREFUSED"));
  const files = tableThat(() => Promise.resolve({ Item: {} }));
  const reopen = jest.fn(() => Promise.resolve<OpenedTable>(files.opened));
  const { table, close } = followTable(run.opened, reopen);
  expect(await Promise.all([1, 2, 3].map(() => table.client.send(command)))).toEqual(Array(3).fill({ Item: {} }));
  expect(reopen).toHaveBeenCalledTimes(1);
  await close();
  expect([run.closed.times, files.closed.times]).toEqual([1, 1]);
});

test("a request that may have arrived is not sent to another table", async () => {
  const run = tableThat(failing("ECONNRESET"));
  const reopen = jest.fn(() => Promise.reject<OpenedTable>(new Error("expected no reopening")));
  await expect(followTable(run.opened, reopen).table.client.send(command)).rejects.toThrow("ECONNRESET");
  expect(reopen).not.toHaveBeenCalled();
});

test("a request that nobody waits for opens no table after the end, and keeps none open", async () => {
  const run = tableThat(failing("ECONNREFUSED"));
  const files = tableThat(() => Promise.resolve({ Item: {} }));
  let finish: (table: OpenedTable) => void = () => undefined;
  const reopen = jest.fn(() => new Promise<OpenedTable>((resolve) => (finish = resolve)));
  const { table, close } = followTable(run.opened, reopen);
  const late = table.client.send(command);
  await new Promise((resolve) => setImmediate(resolve));
  await close();
  finish(files.opened);
  await late;
  expect([run.closed.times, files.closed.times]).toEqual([1, 1]);

  const ended = followTable(run.opened, reopen);
  await ended.close();
  await expect(ended.table.client.send(command)).rejects.toThrow("ECONNREFUSED");
  expect(reopen).toHaveBeenCalledTimes(1);
});
