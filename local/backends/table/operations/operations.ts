import batchGetItem from "dynalite/actions/batchGetItem";
import createTable from "dynalite/actions/createTable";
import deleteTable from "dynalite/actions/deleteTable";
import describeTable from "dynalite/actions/describeTable";
import describeTimeToLive from "dynalite/actions/describeTimeToLive";
import getItem from "dynalite/actions/getItem";
import listTables from "dynalite/actions/listTables";
import listTagsOfResource from "dynalite/actions/listTagsOfResource";
import query from "dynalite/actions/query";
import scan from "dynalite/actions/scan";
import tagResource from "dynalite/actions/tagResource";
import untagResource from "dynalite/actions/untagResource";
import updateTable from "dynalite/actions/updateTable";
import batchGetItemInput from "dynalite/validations/batchGetItem";
import createTableInput from "dynalite/validations/createTable";
import deleteTableInput from "dynalite/validations/deleteTable";
import describeTableInput from "dynalite/validations/describeTable";
import describeTimeToLiveInput from "dynalite/validations/describeTimeToLive";
import getItemInput from "dynalite/validations/getItem";
import listTablesInput from "dynalite/validations/listTables";
import listTagsOfResourceInput from "dynalite/validations/listTagsOfResource";
import queryInput from "dynalite/validations/query";
import scanInput from "dynalite/validations/scan";
import tagResourceInput from "dynalite/validations/tagResource";
import untagResourceInput from "dynalite/validations/untagResource";
import updateTableInput from "dynalite/validations/updateTable";
import { change, checked, type Operation, plain } from "./operation";
import { transactGetItems, transactWriteItems } from "./transactions";
import { batchWriteItem, writeItem } from "./write-item";

/** There are none, but `ebb doctor` and Terraform read this. */
const describeContinuousBackups: Operation = ({ store }, input) =>
  new Promise((resolve, reject) => {
    // It has the same input.
    const { TableName } = checked(describeTimeToLiveInput, input, store);
    store.getTable(String(TableName), false, (error) => {
      if (error) return reject(error);
      resolve({
        ContinuousBackupsDescription: {
          ContinuousBackupsStatus: "DISABLED",
          PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: "DISABLED" },
        },
      });
    });
  });

/** See docs/local-backends.md. */
export const operations: Readonly<Record<string, Operation>> = {
  BatchGetItem: plain(batchGetItem, batchGetItemInput),
  BatchWriteItem: batchWriteItem,
  CreateTable: change(createTable, createTableInput),
  DeleteItem: writeItem("DeleteItem"),
  DeleteTable: change(deleteTable, deleteTableInput),
  DescribeContinuousBackups: describeContinuousBackups,
  DescribeTable: plain(describeTable, describeTableInput),
  DescribeTimeToLive: plain(describeTimeToLive, describeTimeToLiveInput),
  GetItem: plain(getItem, getItemInput),
  ListTables: plain(listTables, listTablesInput),
  ListTagsOfResource: plain(listTagsOfResource, listTagsOfResourceInput),
  PutItem: writeItem("PutItem"),
  Query: plain(query, queryInput),
  Scan: plain(scan, scanInput),
  TagResource: change(tagResource, tagResourceInput),
  TransactGetItems: transactGetItems,
  TransactWriteItems: transactWriteItems,
  UntagResource: change(untagResource, untagResourceInput),
  UpdateItem: writeItem("UpdateItem"),
  UpdateTable: change(updateTable, updateTableInput),
};
