import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Call, Statement } from "./iam";
import { allowing } from "./iam";
import { policyOnPage } from "./policies-of-pages";
import { isAuthorized, type ResourcePolicy, type Role } from "./resource-policies";
import { account, region, stackRoles } from "./stack-roles";

/**
 * What the stack's roles may do where something besides them has a say: the policies of queues, keys and roles as the
 * pages tell their reader to write them, and the statements that they tell to add.
 */
const other = "444455556666";
const arns = {
  SyncRoleArn: `arn:aws:iam::${account}:role/ebb-prod-SyncRole-1ABC`,
  WatchRoleArn: `arn:aws:iam::${account}:role/ebb-prod-WatchRole-2DEF`,
};
const readers = { SyncRole: arns.SyncRoleArn, WatchRole: arns.WatchRoleArn };
const others = ["TickRole", "WakeRole", "ScheduleRole"];
const arnOf = (id: string) => `arn:aws:iam::${account}:role/ebb-prod-${id}-3GHI`;

const stacks = new Map<string, ReturnType<typeof stackRoles>>();

async function roleOf(id: string, params: Readonly<Record<string, string>> = {}): Promise<Role> {
  const key = JSON.stringify(params);
  const roles = stacks.get(key) ?? stackRoles(params);
  stacks.set(key, roles);
  const { [id]: statements } = await roles;
  if (statements === undefined) throw new Error(`expected a role ${id} in the stack, got none`);
  return { arn: Object.hasOwn(readers, id) ? readers[id as keyof typeof readers] : arnOf(id), statements };
}

/** As the page said it before the watcher had a role: for the sync's alone. */
const forSyncAlone = ({ Principal: _, ...statement }: Statement): Statement => ({
  ...statement,
  Principal: { AWS: arns.SyncRoleArn },
});

interface Case {
  readonly of: ResourcePolicy["of"];
  readonly page: string;
  readonly call: Call;
  readonly params?: Readonly<Record<string, string>>;
  /** The same call, as nobody may make it. */
  readonly refused: readonly Call[];
}

const queue = `arn:aws:sqs:eu-west-1:${other}:orders`;
const key = `arn:aws:kms:${region}:${other}:key/1234abcd-12ab-34cd-56ef-1234567890ab`;
const decrypt = { action: "kms:Decrypt", resource: key };
const assume = { action: "sts:AssumeRole", resource: `arn:aws:iam::${other}:role/ebb-clusters` };
const via = (service: string) => ({ "kms:ViaService": `${service}.${region}.amazonaws.com` });
const as = (cluster: string) => ({ "sts:ExternalId": `ebb/${cluster}` });

const ofQueue = (action: string): Case => ({
  of: "queue",
  page: "docs/sources/sqs.md",
  call: { action, resource: queue },
  refused: [
    { action: "sqs:ReceiveMessage", resource: queue },
    { action: "sqs:PurgeQueue", resource: queue },
    { action, resource: `${queue}-2` },
  ],
});
const ofKey = (service: string): Case => ({
  of: "key",
  page: "docs/deploy.md",
  params: { kmsKeyArns: key },
  call: { ...decrypt, context: via(service) },
  refused: [decrypt, { ...decrypt, context: via("s3") }, { ...decrypt, action: "kms:Encrypt", context: via(service) }],
});
const cases: readonly (readonly [string, Case])[] = [
  ["asks a queue of another account for its depth", ofQueue("sqs:GetQueueAttributes")],
  ["asks for the URL of a queue of another account", ofQueue("sqs:GetQueueUrl")],
  ["reads a secret under a customer managed key", ofKey("secretsmanager")],
  ["reads a parameter under a customer managed key", ofKey("ssm")],
  [
    "assumes the role that a cluster's entry names",
    {
      of: "role",
      page: "docs/deploy.md",
      call: { ...assume, context: as("prod") },
      refused: [
        assume,
        { ...assume, context: as("staging") },
        { ...assume, resource: `arn:aws:iam::${other}:role/Admin`, context: as("prod") },
      ],
    },
  ],
];

describe.each(cases)("by the policy that the page says to write, %s:", (_name, { of, page, call, params, refused }) => {
  const statement = policyOnPage(page, call.action, arns);
  const policy: ResourcePolicy = { of, account: other, statements: [statement] };

  test.each(Object.keys(readers))("%s may, and nothing more", async (id) => {
    const role = await roleOf(id, params);
    expect(isAuthorized(role, call, policy)).toBe(true);
    expect(refused.filter((one) => isAuthorized(role, one, policy))).toEqual([]);
    expect(isAuthorized(role, call, { ...policy, statements: [] })).toBe(false);
  });

  test("a policy that names the sync's role alone leaves the watcher without", async () => {
    const alone = { ...policy, statements: [forSyncAlone(statement)] };
    const allowed = await Promise.all(
      Object.keys(readers).map(async (id) => isAuthorized(await roleOf(id, params), call, alone)),
    );
    expect(allowed).toEqual([true, false]);
  });

  test.each(others)("%s may not", async (id) => {
    expect(isAuthorized(await roleOf(id, params), call, policy)).toBe(false);
  });
});

test("whatever names the sync's role, names the watcher's too", () => {
  const root = join(__dirname, "../..");
  const files = ["docs", "examples", "infra", "cli"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
  );
  const named = files
    .filter((file) => /\.(md|yaml|yml|json|ts|cjs)$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return text.includes("SyncRoleArn") ? [[file, text.includes("WatchRoleArn")] as const] : [];
    });
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter(([, both]) => !both)).toEqual([]);
});

describe("a key of the stack's own account, whose policy leaves the decision to IAM as AWS writes it by default", () => {
  const own = key.replace(other, account);
  const call = { action: "kms:Decrypt", resource: own, context: via("secretsmanager") };
  const byDefault: Statement = {
    Effect: "Allow",
    Principal: { AWS: `arn:aws:iam::${account}:root` },
    Action: "kms:*",
    Resource: "*",
  };
  const policy: ResourcePolicy = { of: "key", account, statements: [byDefault] };

  test.each(Object.keys(readers))(
    "%s may decrypt with it if kmsKeyArns names it, and with no other key",
    async (id) => {
      const role = await roleOf(id, { kmsKeyArns: own });
      expect(isAuthorized(role, call, policy)).toBe(true);
      expect(isAuthorized(role, { ...call, resource: `${own}2` }, policy)).toBe(false);
      expect(isAuthorized(role, { ...call, context: via("s3") }, policy)).toBe(false);
      expect(isAuthorized(await roleOf(id), call, policy)).toBe(false);
    },
  );
});

describe.each([
  ["docs/sources/kafka.md", "kafka-cluster:Connect", "arn:aws:kafka:eu-west-1:123456789012:cluster/shop/1234-5"],
  ["docs/sources/kafka.md", "kafka-cluster:DescribeTopic", "arn:aws:kafka:eu-west-1:123456789012:topic/shop/1/orders"],
  ["docs/sources/kafka.md", "kafka-cluster:DescribeGroup", "arn:aws:kafka:eu-west-1:123456789012:group/shop/1/jobs"],
  [
    "docs/sources/postgresql.md",
    "rds-db:connect",
    "arn:aws:rds-db:eu-west-1:123456789012:dbuser:db-ABCDEFGHIJKL01234/ebb",
  ],
])("the statement of %s for %s", (page, action, resource) => {
  test.each(Object.keys(readers))("lets %s, which may not without it", async (id) => {
    const { statements } = await roleOf(id);
    expect(allowing(statements, { action, resource })).toEqual([]);
    const added = policyOnPage(page, action, arns);
    expect(allowing([...statements, added], { action, resource })).toEqual([added]);
    // It goes into a role, where each statement has a name of its own.
    expect(statements.map(({ Sid }) => Sid)).not.toContain(added.Sid);
    expect(added.Sid).toMatch(/^[A-Za-z]+$/);
  });
});
