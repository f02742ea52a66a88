// A plugin of the framework. Before anything is changed, it refuses what AWS would refuse in the middle of a
// deployment, and what would surprise later.
const { readFileSync } = require("node:fs");
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

module.exports = class CheckStack {
  /** @param {any} serverless */
  constructor(serverless) {
    const refuse = (/** @type {readonly string[]} */ problems) => {
      if (problems.length > 0) throw new serverless.classes.Error(problems.join("\n"), "EBB_STACK_REFUSED");
    };
    const provider = () => serverless.getProvider("aws");
    const params = () => serverless.configurationInput.params ?? {};

    this.hooks = {
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
