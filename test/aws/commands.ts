import { commandOf } from "../../lib/aws/http/json-client";

/** Operations that only tests ask for. */
export const ListTablesCommand = commandOf<object, { readonly TableNames?: readonly string[] }>("ListTables");
export const TransactWriteItemsCommand = commandOf<object, object>("TransactWriteItems");
export const UpdateItemCommand = commandOf<object, object>("UpdateItem");
