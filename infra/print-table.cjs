// A plugin of the Serverless Framework: `deploy` and `info` print the table's name, and what to export for the command.
module.exports = class PrintTable {
  /** @param {any} serverless */
  constructor(serverless) {
    this.hooks = {
      "after:aws:info:gatherData": () => {
        const info = serverless.pluginManager.getPlugins().find((plugin) => plugin.gatheredData !== undefined);
        const { OutputValue: table } =
          info.gatheredData.outputs.find(({ OutputKey }) => OutputKey === "TableName") ?? {};
        if (table === undefined) throw new Error("expected the stack to have an output TableName, got none");
        serverless.addServiceOutputSection("table", table);
        serverless.addServiceOutputSection("for ebb", [
          `export EBB_TABLE=${table} AWS_REGION=${info.gatheredData.info.region}`,
        ]);
      },
    };
  }
};
