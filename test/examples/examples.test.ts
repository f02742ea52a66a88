import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { compileFunction } from "node:vm";
import { DeleteItemCommand, PutItemCommand, ScanCommand } from "../../lib/aws/http/dynamodb-commands";
import * as sdk from "@aws-sdk/client-dynamodb";
import { parse, parseAllDocuments } from "yaml";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import type { Item } from "../../lib/table/items/attributes";
import { localRegion } from "../../local/guard/signature";
import { type EmbeddedTable, openEmbeddedTable } from "../../local/backends/table/embedded-table";
import { ebb } from "../cli/run-ebb";
import { examplePath, exampleText, meaningsOf, putItems, readTemplate } from "./examples";

let directory: string;
let embedded: EmbeddedTable;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "ebb-examples-"));
  embedded = await openEmbeddedTable({ directory });
});

afterEach(async () => {
  for (const { pk, sk } of await stored()) {
    await embedded.client.send(new DeleteItemCommand({ TableName: embedded.table, Key: { pk: pk!, sk: sk! } }));
  }
});

afterAll(async () => {
  await embedded.close();
  await rm(directory, { recursive: true });
});

async function stored(): Promise<readonly Item[]> {
  return (await embedded.client.send(new ScanCommand({ TableName: embedded.table }))).Items ?? [];
}

const put = (Item: Item) => embedded.client.send(new PutItemCommand({ TableName: embedded.table, Item }));

/** What `ebb get` shows is the sync's own reading, so rows and meanings are compared. */
const getAll = async () => {
  const table = { client: embedded.client, name: embedded.table };
  return (await ebb(["get", "hpa", "-A"], { table, now: () => Date.parse("2026-11-21T12:00:00Z") })).stdout;
};

describe("the same entries, written", () => {
  const expected = meaningsOf(putItems());

  test("as items (AWS CLI, console)", async () => {
    for (const item of putItems()) await put(item);
    expect(meaningsOf(await stored())).toEqual(expected);
    expect(JSON.stringify(expected)).not.toContain("invalid");
    expect(await getAll()).toMatch(/order-worker +Deployment\/order-worker +<unknown>\/5 \(avg\) +0 +20/);
  });

  test("by ebb apply", async () => {
    const table = { client: embedded.client, name: embedded.table };
    const { exitCode, stdout } = await ebb(["apply", "-f", examplePath("apply")], { table });
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout:
        "cluster.ebb.dev/prod created\nmetricsource.ebb.dev/queue-age created\n" +
        "horizontalpodautoscaler.autoscaling/order-worker created\n",
    });
    expect(meaningsOf(await stored())).toEqual(expected);
  });

  test("by CloudFormation's custom resource", async () => {
    for (const name of entryResources)
      expect(await cloudFormation("Create", name)).toMatchObject({ Status: "SUCCESS" });
    expect(meaningsOf(await stored())).toEqual(expected);
  });
});

test.each([
  "hpa-sqs.yaml",
  "hpa-sqs-queues.yaml",
  "hpa-cloudwatch.yaml",
  "apply/entries.yaml",
  "prometheus-adapter/hpa.yaml",
])("%s is valid as it is", async (name) => {
  const { exitCode, stderr } = await ebb(["validate", examplePath(name)]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
});

const entryResources = ["Cluster", "QueueAge", "OrderWorker"];
const { Resources } = readTemplate();

interface Answer {
  readonly Status: string;
  readonly PhysicalResourceId: string;
  readonly Reason?: string;
}

/** Runs the template's inline function on an event of CloudFormation's, with the embedded table as DynamoDB. */
async function cloudFormation(RequestType: string, name: string, given: object = {}): Promise<Answer> {
  const { ZipFile } = Resources["EntryFunction"]?.Properties["Code"] as { readonly ZipFile: string };
  const module = { exports: {} as { handler: (event: object) => Promise<void> } };
  const DynamoDBClient = function () {
    const { endpoint, credential: credentials } = embedded;
    return new sdk.DynamoDBClient({ endpoint, credentials, region: localRegion });
  };
  const load = compileFunction(ZipFile, ["require", "exports", "fetch"]) as (...given: unknown[]) => void;
  load(() => ({ ...sdk, DynamoDBClient }), module.exports, fetch);
  const answer = listenForAnswer();
  await module.exports.handler({
    RequestType,
    ResponseURL: await answer.url,
    StackId: "arn:aws:cloudformation:eu-central-1:123456789012:stack/a/1",
    RequestId: "r",
    LogicalResourceId: name,
    ...given,
    ResourceProperties: {
      ...Resources[name]?.Properties,
      Table: embedded.table,
      ...(given as { ResourceProperties?: object }).ResourceProperties,
    },
  });
  return answer.body;
}

/** Where CloudFormation would wait for the answer. */
function listenForAnswer(): { readonly url: Promise<string>; readonly body: Promise<Answer> } {
  let server: Server;
  const url = new Promise<string>((resolve) => {
    server = createServer().listen(0, "127.0.0.1", () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    });
  });
  const body = url.then(
    () =>
      new Promise<Answer>((resolve) => {
        server.on("request", (request, response) => {
          let text = "";
          request.on("data", (chunk: Buffer) => (text += chunk.toString()));
          request.on("end", () => {
            response.end();
            server.close();
            resolve({ ...(JSON.parse(text) as Answer), contentType: request.headers["content-type"] } as Answer);
          });
        });
      }),
  );
  return { url, body };
}

describe("CloudFormation's custom resource", () => {
  const changed = (spec: object) => ({
    ResourceProperties: {
      Document: JSON.stringify({ kind: "MetricSource", metadata: { name: "queue-age" }, spec }),
    },
  });

  test("answers without a content type, as the URL was signed", async () => {
    expect(await cloudFormation("Create", "QueueAge")).toMatchObject({ contentType: "" });
  });

  test("changes what it made, and keeps what others wrote beside it", async () => {
    const { PhysicalResourceId } = await cloudFormation("Create", "QueueAge");
    const [item] = await stored();
    await put({ ...item, status: { M: {} } });
    const update = { PhysicalResourceId, ...changed({ kind: "sqs", parameters: { includeDelayed: true } }) };
    expect(await cloudFormation("Update", "QueueAge", update)).toMatchObject({ Status: "SUCCESS", PhysicalResourceId });
    expect(await stored()).toMatchObject([
      { status: { M: {} }, spec: { M: { kind: { S: "sqs" }, parameters: { M: { includeDelayed: { BOOL: true } } } } } },
    ]);
  });

  test("deletes what it made", async () => {
    const { PhysicalResourceId } = await cloudFormation("Create", "QueueAge");
    expect(await cloudFormation("Delete", "QueueAge", { PhysicalResourceId })).toMatchObject({ Status: "SUCCESS" });
    expect(await stored()).toEqual([]);
  });

  test("neither takes over nor deletes an entry that somebody else wrote", async () => {
    const theirs = putItems().slice(2);
    await put(theirs[0] as Item);
    const refused = await cloudFormation("Create", "QueueAge");
    expect(refused).toMatchObject({
      Status: "FAILED",
      PhysicalResourceId: "none",
      Reason: "an entry of this name exists and is not this stack's: delete it or choose another name",
    });
    // What a rollback of the creation asks for, and a stack whose entry somebody wrote again.
    for (const PhysicalResourceId of ["none", '["CLUSTER#prod","SOURCE#queue-age"]']) {
      expect(await cloudFormation("Delete", "QueueAge", { PhysicalResourceId })).toMatchObject({ Status: "SUCCESS" });
    }
    expect(await stored()).toEqual(theirs);
  });

  test("says what is wrong with a document", async () => {
    const given = { ResourceProperties: { Document: "{" } };
    expect(await cloudFormation("Create", "QueueAge", given)).toMatchObject({
      Status: "FAILED",
      Reason: expect.stringContaining("SyntaxError") as string,
    });
  });
});

describe("prometheus-adapter", () => {
  interface Manifest {
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace?: string };
    readonly data: Readonly<Record<string, string>>;
    readonly subjects?: readonly { readonly name: string; readonly namespace: string }[];
    readonly spec: {
      readonly selector: Readonly<Record<string, unknown>>;
      readonly ports: readonly { readonly targetPort: string }[];
      readonly service: { readonly name: string; readonly namespace: string };
      readonly template: {
        readonly metadata: { readonly labels: object };
        readonly spec: {
          readonly serviceAccountName?: string;
          readonly containers: readonly { readonly ports: readonly { readonly name: string }[] }[];
          readonly volumes: readonly { readonly configMap?: { readonly name: string } }[];
        };
      };
    };
  }
  const folder = "prometheus-adapter";
  const names = readdirSync(examplePath(folder)).filter((name) => name.endsWith(".yaml"));
  const manifests = names.flatMap((name) =>
    parseAllDocuments(exampleText(`${folder}/${name}`)).map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS() as Manifest;
    }),
  );
  const of = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
  const placesOf = (kind: string) => of(kind).map(({ metadata: { namespace = "", name } }) => `${namespace}/${name}`);
  const [hpa] = of("HorizontalPodAutoscaler") as unknown as readonly [HorizontalPodAutoscaler];

  test("the rule makes the HPA's metric of what the application counts", () => {
    const config = of("ConfigMap").find(({ data }) => "config.yaml" in data)?.data["config.yaml"] ?? "";
    const { rules } = parse(config) as {
      readonly rules: readonly [{ readonly seriesQuery: string; readonly name: { matches: string; as: string } }];
    };
    const [{ seriesQuery, name }] = rules;
    const series = /^\w+/.exec(seriesQuery)?.[0] ?? "";
    expect(exampleText(`${folder}/app.yaml`)).toContain(`\\n${series} `);
    const metric = series.replace(new RegExp(name.matches), name.as.replace("${1}", "$1"));
    expect(hpa.spec.metrics?.map(({ pods }) => pods?.metric.name)).toEqual([metric]);
    expect(exampleText(`${folder}/README.md`)).toContain(`/pods/*/${metric}?labelSelector=`);
  });

  test("each name leads to an object of the files", () => {
    expect(placesOf("Deployment")).toContain(`${hpa.metadata.namespace}/${hpa.spec.scaleTargetRef.name}`);
    for (const { metadata, spec } of of("Deployment")) {
      const { serviceAccountName, volumes } = spec.template.spec;
      if (serviceAccountName !== undefined)
        expect(placesOf("ServiceAccount")).toContain(`${metadata.namespace}/${serviceAccountName}`);
      for (const { configMap } of volumes)
        if (configMap !== undefined) expect(placesOf("ConfigMap")).toContain(`${metadata.namespace}/${configMap.name}`);
    }
    for (const { metadata, spec } of of("Service")) {
      const behind = of("Deployment").find(
        (one) =>
          one.metadata.namespace === metadata.namespace &&
          isDeepStrictEqual(one.spec.template.metadata.labels, spec.selector),
      );
      const ports = behind?.spec.template.spec.containers.flatMap((container) => container.ports) ?? [];
      expect(ports.map(({ name }) => name)).toEqual(spec.ports.map(({ targetPort }) => targetPort));
    }
    for (const { spec } of of("APIService"))
      expect(placesOf("Service")).toContain(`${spec.service.namespace}/${spec.service.name}`);
    for (const { subjects } of [...of("ClusterRoleBinding"), ...of("RoleBinding")])
      for (const { namespace, name } of subjects ?? [])
        expect(placesOf("ServiceAccount")).toContain(`${namespace}/${name}`);
  });

  test("its README names each of its files", () => {
    const named = exampleText(`${folder}/README.md`).match(/(?<=examples\/prometheus-adapter\/)[\w.-]+/g);
    expect([...new Set(named)].sort()).toEqual(names);
  });
});
