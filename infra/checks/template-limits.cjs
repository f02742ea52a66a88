// What AWS would refuse in the middle of a deployment, found in the packaged template.
const resolverOf = require("./resolve.cjs");

/** How long AWS lets a name be. */
const names = {
  "AWS::DynamoDB::Table": ["TableName", 255],
  "AWS::SQS::Queue": ["QueueName", 80],
  "AWS::Lambda::Function": ["FunctionName", 64],
  "AWS::Scheduler::Schedule": ["Name", 64],
  "AWS::CloudWatch::Alarm": ["AlarmName", 255],
  "AWS::CloudWatch::Dashboard": ["DashboardName", 255],
};
const rolePolicyCharacters = 10_240; // of all inline policies of a role, without white space
const environmentBytes = 4_096; // of a function, as JSON

const number = (/** @type {number} */ value) => value.toLocaleString("en-US");
const lengthOf = (/** @type {unknown} */ value) => JSON.stringify(value).replace(/\s/g, "").length;

/** The longest first: "SOURCE_HOSTS 4,012 (param sourceHosts)" */
function longest(parts) {
  const sorted = parts.toSorted((a, b) => b.length - a.length).slice(0, 2);
  return sorted
    .map(({ name, length, param }) => `${name} ${number(length)}${param === undefined ? "" : ` (param ${param})`}`)
    .join(", ");
}

/**
 * @param {{
 *   template: { Resources: Readonly<Record<string, { Type: string, Properties?: any }>> },
 *   region: string,
 *   stage: string,
 *   paramOfStatement: Readonly<Record<string, string>>,
 *   paramOfVariable: (name: string) => string | undefined,
 * }} packaged
 * @returns {readonly string[]} a sentence for each
 */
module.exports = function problemsOfTemplate({ template, region, stage, paramOfStatement, paramOfVariable }) {
  const resources = Object.entries(template.Resources);
  const resolve = resolverOf(template.Resources, region);
  return [...ofNames(), ...ofPolicies(), ...ofEnvironments()];

  /** The name that leaves the least room for the stage's. */
  function ofNames() {
    const tooLong = resources
      .flatMap(([, { Type, Properties = {} }]) => {
        const [property = "", most = Infinity] = names[Type] ?? [];
        const name = Properties[property];
        return typeof name === "string" ? [{ Type, name, most, over: name.length - most }] : [];
      })
      .filter(({ over }) => over > 0)
      .sort((a, b) => b.over - a.over);
    const [first] = tooLong;
    if (first === undefined) return [];
    return [
      `the stage's name: expected at most ${stage.length - first.over} characters, got ${stage.length}, because ${first.Type} ` +
        `${first.name} may have ${first.most}. Choose a shorter name`,
    ];
  }

  function ofPolicies() {
    const roles = resources.filter(([, { Type }]) => Type === "AWS::IAM::Role");
    return roles.flatMap(([id, { Properties = {} }]) => {
      const apart = resources
        .filter(([, { Type, Properties: own }]) => Type === "AWS::IAM::RolePolicy" && own?.RoleName?.Ref === id)
        .map(([, { Properties: own }]) => own.PolicyDocument);
      const inline = (Properties.Policies ?? []).map(({ PolicyDocument }) => PolicyDocument);
      const documents = resolve([...inline, ...apart]);
      const length = documents.reduce((sum, document) => sum + lengthOf(document), 0);
      if (length <= rolePolicyCharacters) return [];
      const statements = documents
        .flatMap(({ Statement }) => Statement)
        .map((one) => ({ name: one.Sid, length: lengthOf(one), param: paramOfStatement[one.Sid] }));
      return [
        `${id}: expected at most ${number(rolePolicyCharacters)} characters in its policies, got ${number(length)}. ` +
          `The longest statements: ${longest(statements)}. Name fewer ARNs, or use * in them`,
      ];
    });
  }

  function ofEnvironments() {
    const functions = resources.filter(([, { Type }]) => Type === "AWS::Lambda::Function");
    return functions.flatMap(([, { Properties = {} }]) => {
      const variables = resolve(Properties.Environment?.Variables ?? {});
      const bytes = Buffer.byteLength(JSON.stringify(variables));
      if (bytes <= environmentBytes) return [];
      const parts = Object.entries(variables).map(([name, value]) => ({
        name,
        length: Buffer.byteLength(String(value)),
        param: paramOfVariable(name),
      }));
      return [
        `function ${Properties.FunctionName}: expected at most ${number(environmentBytes)} bytes in its environment, got ` +
          `${number(bytes)}. The longest variables: ${longest(parts)}. Make them shorter, for example with *.example.com`,
      ];
    });
  }
};
