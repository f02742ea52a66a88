import describeTimeToLiveInput from "dynalite/validations/describeTimeToLive";
import { checked, type Operation } from "./operation";

/** There are none: `ebb doctor` and Terraform ask. */
export const describeContinuousBackups: Operation = ({ store }, input) =>
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
