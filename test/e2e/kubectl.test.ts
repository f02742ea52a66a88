import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import type { EventEntry } from "../../lib/model/stored/event-log";
import { PutItemCommand } from "../../lib/aws/http/dynamodb-commands";
import { encodeEvents } from "../../lib/table/items/hpa-items";
import { readKubectlVectors } from "../cli/kubectl-vectors";
import { servedTableForTests } from "../cli/table";
import { startApiServer, type ApiServer } from "./servers/api-server";
import { installed } from "./servers/installed";

/**
 * The same objects in a real API server and in a table: what kubectl prints of the one, ebb prints of the other, to the
 * byte.
 */

const namespace = "shop";
const hpas = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`;
const minute = 60_000;
/** Half a minute in, so that no age turns while the two are compared. */
const now = Date.now();
const first = now - 50.5 * minute;
const last = now - 20.5 * minute;

const folderOf = servedTableForTests();
const { run, byHand, table } = folderOf;
let apiServer: ApiServer;
let names: readonly string[];

beforeAll(async () => {
  apiServer = await startApiServer();
  await apiServer.admin.create("/api/v1/namespaces", { metadata: { name: namespace } });
  await byHand({
    pk: "CLUSTER#e2e",
    sk: "CLUSTER",
    spec: { auth: { type: "kubeconfig", file: apiServer.kubeconfig } },
  });
  const stored: HorizontalPodAutoscaler[] = [];
  for (const { v2 } of readKubectlVectors().filter((_, index) => index % 6 === 0))
    stored.push(await store(v2, stored.length));
  for (const hpa of stored) await byHand({ pk: "CLUSTER#e2e", sk: `HPA#${namespace}/${hpa.metadata.name}`, ...hpa });
  names = stored.map(({ metadata }) => metadata.name);
  const [eventful, other] = stored;
  if (eventful !== undefined) await storeEvents(eventful, "no scale \nat all");
  if (other !== undefined) await storeEvents(other, ' no scale <at> "all" ', 5 * minute);
});

afterAll(() => apiServer.stop());

/** Creates the object with its status, and gives it as it is served. */
async function store(
  { metadata, spec, status }: HorizontalPodAutoscaler,
  index: number,
): Promise<HorizontalPodAutoscaler> {
  const name = `hpa-${String(index).padStart(2, "0")}`;
  const { labels, annotations } = metadata;
  const object = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) },
    spec,
  };
  const created = await apiServer.admin.create<HorizontalPodAutoscaler>(hpas, object);
  const { resourceVersion } = created.metadata;
  await apiServer.admin.put(`${hpas}/${name}/status`, {
    ...object,
    metadata: { ...object.metadata, ...(resourceVersion && { resourceVersion }) },
    status,
  });
  return apiServer.admin.get<HorizontalPodAutoscaler>(`${hpas}/${name}`);
}

/** Two events of the object, in the API server and in the table; the latter occurred so long after `last`. */
async function storeEvents({ metadata }: HorizontalPodAutoscaler, message: string, after = 0): Promise<void> {
  const events = [
    {
      type: "Warning",
      reason: "FailedGetScale",
      message,
      name: `${metadata.name}.1`,
      count: 3,
      firstTimestamp: first,
      seenAt: last + after - minute,
    },
    {
      type: "Normal",
      reason: "SuccessfulRescale",
      message: "New size: 4; reason: <x> & y",
      name: `${metadata.name}.2`,
      count: 1,
      firstTimestamp: last + after,
      seenAt: last + after,
    },
  ] as const satisfies readonly EventEntry[];
  for (const { name, firstTimestamp, seenAt, ...event } of events) {
    await apiServer.admin.create(`/api/v1/namespaces/${namespace}/events`, {
      ...event,
      metadata: { name, namespace },
      involvedObject: {
        kind: "HorizontalPodAutoscaler",
        namespace,
        name: metadata.name,
        uid: metadata.uid,
        apiVersion: "autoscaling/v2",
      },
      source: { component: "horizontal-pod-autoscaler" },
      firstTimestamp: seconds(firstTimestamp),
      lastTimestamp: seconds(seenAt),
    });
  }
  const entries = events.map((event) => ({ ...event, recorded: { count: event.count, at: event.seenAt } }));
  const log = { entries, groups: [], buckets: {} };
  const item = encodeEvents("e2e", `${namespace}/${metadata.name}`, { version: 1, log });
  await table().client.send(new PutItemCommand({ TableName: table().name, Item: item }));
}

function seconds(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}

const execute = promisify(execFile);

async function kubectl(args: readonly string[]): Promise<string> {
  const given = ["--kubeconfig", apiServer.kubeconfig, "-n", namespace, ...args];
  const { stdout } = await execute(installed().kubectl, given, { maxBuffer: 1 << 26 });
  return stdout;
}

async function ebb(args: readonly string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await run(["--cluster", "e2e", "-n", namespace, ...args], {
    now: () => Date.now(),
  });
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  return stdout;
}

/** The last column is an age in seconds, which the two print at different moments. */
function withoutAges(text: string): string {
  return text.replace(/ +\S+$/gm, "");
}

test.each<[string]>([["get hpa"], ["get hpa --no-headers"], ["get hpa --show-kind"], ["get hpa hpa-03 --show-kind"]])(
  "%s, but for the age",
  async (line) => {
    const args = line.split(" ");
    expect(withoutAges(await ebb(args))).toBe(withoutAges(await kubectl(args)));
  },
);

test("get hpa -o wide, but for the age and ebb's own last column", async () => {
  const args = ["get", "hpa", "-o", "wide"];
  expect(withoutAges(withoutAges(await ebb(args)))).toBe(withoutAges(await kubectl(args)));
});

test.each<[string]>([
  ["get hpa -o yaml"],
  ["get hpa -o json"],
  ["get hpa -o name"],
  ["get hpa hpa-01 -o yaml"],
  ["get hpa hpa-02 -o json"],
  ["get horizontalpodautoscalers.v1.autoscaling -o yaml"],
  ["get horizontalpodautoscalers.v1.autoscaling hpa-03 -o json"],
  ["get horizontalpodautoscaler.v1.autoscaling hpa-03 -o json"],
  ["get hpa.v1.autoscaling hpa-03 -o json"],
  ["get hpa -o jsonpath={.items[*].metadata.name}"],
  ['get hpa -o jsonpath={range .items[*]}{.metadata.name}{"="}{.status.conditions[0].reason}{"\\n"}{end}'],
  ["get hpa hpa-04 -o jsonpath={.spec.metrics}"],
  ["describe hpa"],
  ["describe hpa hpa-01"],
  ["get events"],
  ["get events -o wide"],
])("%s", async (line) => {
  const [, before = line, template = ""] = /^(.* -o )(jsonpath=.*)$/.exec(line) ?? [];
  const args = [...before.trim().split(" "), ...(template === "" ? [] : [template])];
  expect(await ebb(args)).toBe(await kubectl(args));
  expect(names).toHaveLength(25);
});

/** Each form that pflag takes, and some that it refuses: the two print and exit alike. */
test.each([
  "get hpa -n=shop -o=name",
  "get hpa -nshop -oname",
  "get hpa --namespace=shop --output=name",
  "get hpa --namespace shop --output name",
  "get hpa -n=nowhere -o=name",
  "get hpa -n=shop --all-namespaces=true -o name",
  "get hpa -A=true -o name",
  "get hpa --all-namespaces=false -o name",
  "get hpa -A -A=false -o name",
  "get hpa -Ao=name",
  "get hpa -Aoname",
  "get hpa --watch=false -o name",
  "get hpa -w=false -o name",
  "get hpa -w=0 -o name",
  "get hpa --watch --watch=F -o name",
  "get hpa --ignore-not-found=true nobody -o name",
  "get hpa --ignore-not-found=false nobody -o name",
  "get hpa --show-labels=false --no-headers=true -o name",
  "get hpa -l=no=such -o=name",
  "get hpa -lno=such -oname",
  "get hpa -o name -- hpa-01",
  "get hpa --watch=maybe",
  "get hpa -w=maybe",
  "get hpa -Aw=",
  "get hpa -n",
  "get hpa --namespace",
  "get hpa --bogus",
  "get hpa -x",
  "get hpa -o=nothing",
  "diff --bogus",
  "diff",
])("the flags of %s", async (line) => {
  const args = line.split(" ");
  const theirs = await execute(installed().kubectl, [
    "--kubeconfig",
    apiServer.kubeconfig,
    "-n",
    namespace,
    ...args,
  ]).then(
    ({ stdout }) => ({ stdout, exitCode: 0 }),
    ({ stdout, code }: { stdout: string; code: number }) => ({ stdout, exitCode: code }),
  );
  const { stdout, exitCode } = await run(["--cluster", "e2e", "-n", namespace, ...args]);
  expect({ stdout, exitCode }).toEqual(theirs);
});

/** What kubectl adds to an error to debug the template is left out. */
test.each([
  "{.items[99].metadata.name}",
  "{.items[-99].metadata.name}",
  "{.items[0:99].metadata.name}",
  "{.items[1:0].metadata.name}",
  "{.items[0:1:0].metadata.name}",
  "{.kind[0]}",
  "{.items[0].spec[*]}",
  "{range .items[*]}{.spec.metrics[9].type}{end}",
  "{.items[0].none[0]}",
  "{.items[0:0].metadata.name}",
  "{.items[-2:].metadata.name}",
  "{.items[0,2].metadata.name}",
])("an index, as %s", async (template) => {
  const args = ["get", "hpa", "-o", `jsonpath=${template}`];
  const theirs = await answerOf(args);
  const stderr = theirs.stderr.replace(/\. Printing more information[^]*/, "\n");
  expect(await run(["--cluster", "e2e", "-n", namespace, ...args])).toEqual({ ...theirs, stderr });
});

/** What kubectl prints, and how it exits. */
async function answerOf(args: readonly string[]) {
  const given = ["--kubeconfig", apiServer.kubeconfig, "-n", namespace, ...args];
  return execute(installed().kubectl, given).then(
    ({ stdout, stderr }) => ({ stdout, stderr, exitCode: 0 }),
    ({ stdout, stderr, code }: { stdout: string; stderr: string; code: number }) => ({
      stdout,
      stderr,
      exitCode: code,
    }),
  );
}

test.each([
  "get hpa -o custom-columns=NAME:.metadata.name,MAX:spec.maxReplicas,L:.metadata.labels,T:.spec.metrics[*].type",
  "get hpa -o custom-columns=METRICS:.spec.metrics",
  "get hpa hpa-01 -o custom-columns=STATUS:.status.conditions,B:.spec.behavior",
  "get hpa -o custom-columns=NAME:{.metadata.name} --no-headers",
  "get hpa -o custom-columns=NAME",
  "get hpa -o custom-columns=",
  "get hpa -o custom-columns",
  "get hpa -o custom-columns=X:",
  "get hpa nobody -o custom-columns=A:.metadata.name",
  "get hpa -n nowhere -o custom-columns=A:.metadata.name",
  "get hpa -o jsonpath-as-json={.items[*].metadata.name}",
  "get hpa -o jsonpath-as-json={.items[*].spec}",
  "get hpa hpa-02 -o jsonpath-as-json={.status}",
  "get hpa -o jsonpath-file",
  "get hpa -l app=none -o name",
  "get hpa --field-selector metadata.name=hpa-03 -o name",
  "get hpa --field-selector metadata.name!=hpa-03,metadata.namespace==shop -o name",
  "get hpa --field-selector spec.maxReplicas=5",
  "get hpa --field-selector metadata.name",
  "get hpa hpa-01 --field-selector metadata.name=hpa-01",
  "get hpa --sort-by=.metadata.name -o name",
  "get hpa --show-labels -o name",
  "get hpa --show-kind -o name",
  "get hpa/hpa-01 hpa/hpa-00 -o name",
  "describe hpa nob",
  "describe hpa/hpa-0",
  "describe hpa hpa-1",
])("%s, errors included", async (line) => {
  const args = line.split(" ");
  const ran = await run(["--cluster", "e2e", "-n", namespace, ...args], { now: () => Date.now() });
  expect(withoutHints(ran)).toEqual(await answerOf(args));
});

/** Below kubectl's own words, ebb says which name or namespace was probably meant. */
function withoutHints<Ran extends { readonly stderr: string }>(ran: Ran): Ran {
  const isHint = (line: string) => /^did you mean .+\?$|^there are HPAs in the namespace/.test(line);
  const kept = ran.stderr.split("\n").filter((line) => !isHint(line));
  return { ...ran, stderr: kept.join("\n") };
}

/**
 * From FIELDS on: the descriptions are ebb's own. ebb also lists the values of a field that has only some, and requires
 * what upstream's validation requires: the averageValue of a Pods metric. No release has KEP-6003's field yet.
 */
test.each(["hpa.spec.behavior", "hpa.spec.metrics", "hpa.spec.scaleTargetRef", "hpa.spec"])(
  "explain %s --recursive",
  async (path) => {
    const args = ["explain", path, "--recursive"];
    const treeOf = (text: string) =>
      text
        .slice(text.indexOf("FIELDS:"))
        .trimEnd()
        .replace("averageValue\t<Quantity> -required-", "averageValue\t<Quantity>")
        .split("\n")
        .filter((line) => !/^ *enum: |^ *syncPeriodSeconds\t/.test(line));
    expect(treeOf(await ebb(args))).toEqual(treeOf(await kubectl(args)));
    const headOf = (text: string) => text.slice(0, text.indexOf(">"));
    expect(headOf(await ebb(args))).toBe(headOf(await kubectl(args)));
  },
);

/** Half a minute before any age turns. "~": stderr is worded otherwise. */
test.each([
  "events --for hpa/hpa-01",
  "events --for HPA/hpa-01 --no-headers",
  "events --for hpa/hpa-01 --types=normal,WARNING",
  "events --for hpa/hpa-01 --types=Normal --types=Warning -A",
  "events --types=Normal",
  "events --types=normal -A",
  "events --types= --for=horizontalpodautoscalers.autoscaling/hpa-01",
  "events --for hpa/nobody",
  "events --for hpa/nobody -A",
  "events -n nowhere",
  "events -n nowhere -o yaml",
  "events --for web",
  "events --for a/b/c",
  "events -o jsonpath={.kind}{.items[*].reason}{.items[*].involvedObject.name}",
  "events -o jsonpath={.items[*].count}{.items[*].lastTimestamp}{.items[*].source}",
  "~ events --types=Odd",
  "~ events --for nope/x",
  "~ events -o wide",
])("%s, ages included", async (given) => {
  const isOtherwise = given.startsWith("~ ");
  const args = given.replace("~ ", "").split(" ");
  const said = (ran: Awaited<ReturnType<typeof answerOf>>) =>
    isOtherwise ? { ...ran, stderr: ran.stderr !== "" } : ran;
  const ran = await run(["--cluster", "e2e", "-n", namespace, ...args], { now: () => Date.now() });
  expect(said(withoutHints(ran))).toEqual(said(await answerOf(args)));
});

test("an event has one line, whatever its message holds; kubectl's has as many as the message", async () => {
  const args = ["events", "--for", "hpa/hpa-00", "--types=Warning", "--no-headers"];
  expect((await kubectl(args)).split("\n")).toHaveLength(3);
  expect(await ebb(args)).toMatch(
    /^\S+ \(x3 over 5\dm\) +Warning +FailedGetScale +HorizontalPodAutoscaler\/hpa-00 +no scale \.\.\.\n$/,
  );
  const described = ["describe", "hpa", "hpa-00"];
  const [above, events = ""] = (await ebb(described)).split("Events:\n");
  expect(above).toBe((await kubectl(described)).split("Events:\n")[0]);
  expect(events).toMatch(
    /^ {2}Warning {2}FailedGetScale +2\dm \(x3 over 5\dm\) +horizontal-pod-autoscaler +no scale \\nat all$/m,
  );
});

test("the objects of a file", async () => {
  const documents = await kubectl(["get", "hpa", "hpa-05", "hpa-02", "-o", "yaml"]);
  const path = await folderOf.file(documents);
  for (const line of ["get -o name -f", "get -o yaml -f", "describe -f", "describe --show-events=false -f"]) {
    const args = [...line.split(" "), path];
    expect([line, await ebb(args)]).toEqual([line, await kubectl(args)]);
  }
  for (const line of [`get hpa -f ${path}`, `describe hpa x -f ${path}`]) {
    expect(await run(["--cluster", "e2e", "-n", namespace, ...line.split(" ")])).toEqual(
      await answerOf(line.split(" ")),
    );
  }
});

test("import reads what the real API server has", async () => {
  const given = ["--kubeconfig", apiServer.kubeconfig, "-n", namespace];
  const { stdout, stderr, exitCode } = await run(["import", "hpa", ...given]);
  expect(stdout.split("---\n")).toHaveLength(names.length);
  expect(stderr).toContain("two controllers that scale one target");
  expect(exitCode).toBe(0);
});
