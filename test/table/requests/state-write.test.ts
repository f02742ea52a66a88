import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { freshState } from "../../../lib/sync/hpa/next-state";
import { encodeState } from "../../../lib/table/items/hpa-items";
import { openStore } from "../../../lib/table/store";
import { scriptedTable } from "./scripted-table";

const state = (version: number) => ({ ...freshState({}, 0), version });

describe("a state's write meets a state of another writer", () => {
  test.each([
    ["at its first attempt: it was not applied", 1, 9, undefined],
    ["of its own version at a retry: it was not applied either", 2, 8, undefined],
    ["of a later version at a retry: it may have been applied in between", 2, 9, true],
  ])("%s", async (_name, attempts, version, mayBeApplied) => {
    const Item = encodeState("prod", "shop/orders", state(version));
    const { table } = scriptedTable(
      new ConditionalCheckFailedException({ message: "no", $metadata: { attempts }, Item: Item }),
    );
    const store = openStore({ client: table.client, table: table.name, now: () => 0 });
    const written = await store.putState("prod", "shop/orders", state(8), new AbortController().signal);
    expect(written).toMatchObject({ ok: false, current: { version } });
    expect(written).toEqual(
      mayBeApplied ? expect.objectContaining({ mayBeApplied }) : expect.not.objectContaining({ mayBeApplied }),
    );
  });
});
