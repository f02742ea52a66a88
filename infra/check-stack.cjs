// A plugin of the framework. Before anything is changed, it refuses what AWS would refuse in the middle of a
// deployment, and what would surprise later.
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { join } = require("node:path");
const roomFor = require("./checks/account-room.cjs");
const problemOfStage = require("./checks/stage-name.cjs");
const problemsOfTemplate = require("./checks/template-limits.cjs");

/** Which param a statement's resources come from, as roles.yml says. */
function paramsOfStatements() {
  const text = readFileSync(require.resolve("./roles.yml"), "utf8");
  const lists = text.matchAll(/Sid: (\w+)(?:(?!Sid:)[^])*?Resource: \$\{file\(infra\/params\.cjs\):(\w+)\}/g);
  return Object.fromEntries([...lists].map(([, sid, param]) => [sid, param]));
}

/** ALLOWED_HOSTS → allowedHosts */
const inCamelCase = (/** @type {string} */ name) =>
  name.toLowerCase().replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** The framework's own client of Lambda: the published package has no other. */
async function readAccount(serverless, functionNames) {
  const fromFramework = createRequire(join(serverless.config.serverlessPath, "serverless.js"));
  const { GetAccountSettingsCommand, GetFunctionConcurrencyCommand, LambdaClient } =
    fromFramework("@aws-sdk/client-lambda");
  const client = new LambdaClient(await serverless.getProvider("aws").getAwsSdkV3Config());
  const { AccountLimit } = await client.send(new GetAccountSettingsCommand({}));
  const before = functionNames.map(async (FunctionName) => {
    const { ReservedConcurrentExecutions: own = 0 } = await client
      .send(new GetFunctionConcurrencyCommand({ FunctionName }))
      .catch((error) => {
        if (error.name === "ResourceNotFoundException") return {};
        throw error;
      });
    return own;
  });
  return {
    allowed: AccountLimit.ConcurrentExecutions,
    unreserved: AccountLimit.UnreservedConcurrentExecutions,
    reservedBefore: (await Promise.all(before)).reduce((sum, own) => sum + own, 0),
  };
}

module.exports = class CheckStack {
  /**
   * @param {any} serverless
   * @param {unknown} _options
   * @param {{ log: { warning: (text: string) => void } }} utils
   * @param {typeof readAccount} read
   */
  constructor(serverless, _options, { log }, read = readAccount) {
    const refuse = (/** @type {readonly string[]} */ problems) => {
      if (problems.length > 0) throw new serverless.classes.Error(problems.join("\n"), "EBB_STACK_REFUSED");
    };
    const provider = () => serverless.getProvider("aws");
    const params = () => serverless.configurationInput.params ?? {};

    async function checkAccount() {
      const {
        TickLambdaFunction: tick,
        SyncEventSourceMappingSQSSlotQueue: mapping,
        NotifyLambdaFunction: notify,
        MetricsLambdaFunction: metrics,
      } = serverless.service.provider.compiledCloudFormationTemplate.Resources;
      const { FunctionName, ReservedConcurrentExecutions: reserved = 0 } = tick.Properties;
      const { ScalingConfig, ProvisionedPollerConfig } = mapping.Properties;
      // The last deployment may have had a function metrics that this one has not.
      const names = [FunctionName, FunctionName.replace(/tick$/, "metrics")];
      const account = await read(serverless, names).catch((error) => {
        // What AWS did not answer stops the deployment itself, which says why.
        if (error.$metadata?.httpStatusCode === undefined) return;
        log.warning(`Not checked: the concurrent executions that this account allows (${error.message})`);
      });
      if (account === undefined) return;
      const { refuse: problem, warn } = roomFor({
        ...account,
        reserved,
        syncRuns: ScalingConfig.MaximumConcurrency ?? 10 * ProvisionedPollerConfig.MaximumPollers,
        isProvisioned: ProvisionedPollerConfig !== undefined,
        hasNotify: notify !== undefined,
        ...(metrics && { metrics: { reserved: metrics.Properties.ReservedConcurrentExecutions ?? 0 } }),
        region: provider().getRegion(),
      });
      refuse(problem === undefined ? [] : [problem]);
      if (warn !== undefined) log.warning(warn.charAt(0).toUpperCase() + warn.slice(1));
    }

    this.hooks = {
      "before:deploy:deploy": checkAccount,
      "before:package:cleanup": () => {
        const stage = provider().getStage();
        const given = [serverless.processedInput.options.param ?? []].flat();
        const name = "tableDeletionPolicy";
        const isPolicyGiven =
          given.some((param) => param.startsWith(`${name}=`)) || params()[stage]?.[name] !== undefined;
        const policy = serverless.service.resources.Resources.Table.DeletionPolicy;
        const problem = problemOfStage({ stage, policy, isPolicyGiven });
        refuse(problem === undefined ? [] : [problem]);
      },
      "after:aws:package:finalize:mergeCustomProviderResources": () =>
        refuse(
          problemsOfTemplate({
            template: serverless.service.provider.compiledCloudFormationTemplate,
            region: provider().getRegion(),
            stage: provider().getStage(),
            paramOfStatement: paramsOfStatements(),
            paramOfVariable: (name) => (inCamelCase(name) in (params().default ?? {}) ? inCamelCase(name) : undefined),
          }),
        ),
    };
  }
};
