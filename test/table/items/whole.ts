import type { HpaKey } from "../../../lib/model/hpa-key";
import type { Item } from "../../../lib/table/items/attributes";
import type { UnpackOptions } from "../../../lib/table/items/unpack";

/** All that a packed item holds, by HPA. */
export function whole<T>(
  decode: (item: Item, asked: UnpackOptions) => readonly (readonly [HpaKey, T])[] | undefined,
  item: Item,
): Readonly<Record<HpaKey, T>> | undefined {
  const found = decode(item, { holds: () => true, room: { left: Infinity } });
  return found && Object.fromEntries(found);
}
