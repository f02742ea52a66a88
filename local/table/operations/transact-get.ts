import getItemAction from "dynalite/actions/getItem";
import db from "dynalite/db";
import getItemInput from "dynalite/validations/getItem";
import { isMap } from "../../../lib/k8s/map";
import { capacityOf, withCapacity } from "./capacity";
import { call, checked, type Input, type Operation } from "./operation";

const mostItems = 100;
const members = ["TableName", "Key", "ProjectionExpression", "ExpressionAttributeNames"];

/** All items as they are at one moment, between the writes. */
export const transactGetItems: Operation = async (files, input) => {
  const { store } = files;
  const gets = getsOf(input).map((get) => checked(getItemInput, withCapacity(get, input), store));
  return files.alone(async () => {
    const results = await Promise.all(gets.map((get) => call(getItemAction, store, get)));
    const Responses = results.map((result) => {
      const { Item } = result as { readonly Item?: unknown };
      return Item === undefined ? {} : { Item };
    });
    return { Responses, ...capacityOf(results) };
  });
};

function getsOf({ TransactItems: given }: Input): readonly Input[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > mostItems)
    throw db.validationError(
      "1 validation error detected: Value at 'transactItems' failed to satisfy constraint: " +
        `Member must have length less than or equal to ${mostItems} and greater than or equal to 1`,
    );
  return given.map((one: unknown) => {
    const get = isMap(one) ? one["Get"] : undefined;
    if (!isMap(get)) throw db.validationError("TransactItems: expected a Get in each item");
    return Object.fromEntries(Object.entries(get).filter(([name]) => members.includes(name)));
  });
}
