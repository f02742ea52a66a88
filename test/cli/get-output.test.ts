import type { Ran } from "./run-ebb";
import { tableForTests } from "./table";

const { byHand, file, folder, run } = tableForTests();

const hpa = (name: string, spec: object, metadata: object = {}) => ({
  pk: "CLUSTER#prod",
  sk: `HPA#default/${name}`,
  metadata: { creationTimestamp: "2026-03-01T11:00:00Z", ...metadata },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name }, ...spec },
});

beforeAll(async () => {
  const spec = { endpoint: "https://a.example", auth: { type: "token", secret: "ebb/prod" } };
  await byHand({ pk: "CLUSTER#prod", sk: "CLUSTER", spec });
  await byHand(hpa("web", { maxReplicas: 5 }, { labels: { app: "web" } }));
  await byHand(hpa("orders", { maxReplicas: 9 }));
});

const refused = (stderr: string): Partial<Ran> => ({ stdout: "", stderr: `error: ${stderr}\n`, exitCode: 1 });
const full = "horizontalpodautoscaler.autoscaling";

/** test/e2e/kubectl.test.ts asks the real kubectl the same. */
test.each<[string, Partial<Ran>]>([
  [
    "get hpa -o custom-columns=NAME:.metadata.name,MAX:spec.maxReplicas,L:.metadata.labels,NO:{.spec.nope},T:.spec.metrics[*].type",
    {
      stdout:
        "NAME     MAX   L              NO       T\n" +
        "orders   9     <none>         <none>   Resource\n" +
        "web      5     map[app:web]   <none>   Resource\n",
    },
  ],
  ["get hpa web -o custom-columns=A:.metadata.name --no-headers", { stdout: "web\n" }],
  [
    "get hpa web -o custom-columns=M:.spec.metrics",
    {
      stdout: "M\n[map[resource:map[name:cpu target:map[averageUtilization:80 type:Utilization]] type:Resource]]\n",
    },
  ],
  ["get hpa -n none -o custom-columns=NAME:.metadata.name", { stdout: "NAME\n", stderr: "", exitCode: 0 }],
  [
    "get hpa -o custom-columns=NAME",
    refused("unexpected custom-columns spec: NAME, expected <header>:<json-path-expr>"),
  ],
  ["get hpa -o custom-columns=", refused("custom-columns format specified but no custom columns given")],
  ["get hpa -o custom-columns", refused("custom-columns format specified but no custom columns given")],
  ["get hpa -o custom-columns=X:.spec.metrics[4].type", refused("array index out of bounds: index 4, length 1")],
  ["get hpa -o custom-columns=X:", { stdout: "X\n<none>\n<none>\n", exitCode: 0 }],
  [
    "get hpa -o custom-columns=X:{a",
    refused(
      "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
    ),
  ],
  ["get hpa -o jsonpath-as-json={.items[*].metadata.name}", { stdout: '[\n    "orders",\n    "web"\n]\n' }],
  ["get hpa -o jsonpath-file", refused("template format specified but no template given")],
  ["get hpa -o jsonpath-file=/nope", refused('error reading --template /nope: the path "/nope" does not exist')],
  [
    "get hpa -o go-template={{.kind}}",
    refused("-o go-template: ebb does not have Go's templates: use -o jsonpath=… or -o custom-columns=…"),
  ],
  [
    "get hpa -o kyml",
    refused(
      'unable to match a printer suitable for the output format "kyml", allowed formats are: ' +
        "custom-columns,custom-columns-file,json,jsonpath,jsonpath-as-json,jsonpath-file,name,wide,yaml",
    ),
  ],
  ["get hpa --field-selector metadata.name=web -o name", { stdout: `${full}/web\n` }],
  ["get hpa --field-selector metadata.name!=web,metadata.namespace==default -o name", { stdout: `${full}/orders\n` }],
  [
    "get hpa --field-selector spec.maxReplicas=5",
    {
      stdout: "",
      stderr:
        'Error from server (BadRequest): Unable to find "autoscaling/v2, Resource=horizontalpodautoscalers" that match label selector "", field selector "spec.maxReplicas=5": "spec.maxReplicas" is not a known field selector: only "metadata.name", "metadata.namespace"\n',
      exitCode: 1,
    },
  ],
  [
    "get hpa --field-selector metadata.name",
    {
      stderr:
        'Error from server (BadRequest): Unable to find "autoscaling/v2, Resource=horizontalpodautoscalers" that match label selector "", field selector "metadata.name": invalid selector: \'metadata.name\'; can\'t understand \'metadata.name\'\n',
      exitCode: 1,
    },
  ],
  ["get hpa web --field-selector metadata.name=web", refused("name cannot be provided when a selector is specified")],
  [
    "get hpa web --show-kind --show-labels --no-headers",
    { stdout: `${full}/web   Deployment/web   cpu: <unknown>/80%   1     5     0     60m   app=web\n` },
  ],
  [
    "get hpa/web hpa/orders --no-headers",
    {
      stdout:
        "web      Deployment/web      cpu: <unknown>/80%   1     5     0     60m\n" +
        "orders   Deployment/orders   cpu: <unknown>/80%   1     9     0     60m\n",
    },
  ],
  [
    "describe hpa nob",
    {
      stdout: "",
      stderr: `Error from server (NotFound): horizontalpodautoscalers.autoscaling "nob" not found\n`,
      exitCode: 1,
    },
  ],
  ["describe hpa/we", { stdout: "", exitCode: 1 }],
])("ebb %s", async (line, expected) => {
  expect(await run(line.split(" "))).toMatchObject(expected);
});

test("columns and a template from a file", async () => {
  const columns = await file("NAME MAX\nmetadata.name {.spec.maxReplicas}\n", "columns");
  expect((await run(["get", "hpa", "-o", `custom-columns-file=${columns}`])).stdout).toBe(
    "NAME     MAX\norders   9\nweb      5\n",
  );
  const short = await file("NAME MAX\nmetadata.name\n", "short");
  expect(await run(["get", "hpa", "-o", `custom-columns-file=${short}`])).toMatchObject(
    refused("number of headers (2) and field specifications (1) don't match"),
  );
  const template = await file("{.items[0].metadata.name}\n", "template");
  expect((await run(["get", "hpa", "-o", `jsonpath-file=${template}`])).stdout).toBe("orders\n");
});

describe("the objects of a file", () => {
  const text = ["web", "orders"]
    .map(
      (name) =>
        `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: { name: ${name} }\nspec: { maxReplicas: 1, scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} } }\n`,
    )
    .join("---\n");

  test("get -f prints them in its order, and fails for one that is not there", async () => {
    const given = await file(text);
    expect((await run(["get", "-f", given, "-o", "name"])).stdout).toBe(`${full}/web\n${full}/orders\n`);
    const more = await file(text.replace(/orders/g, "nobody"));
    expect(await run(["get", "-f", more, "-o", "name"])).toMatchObject({
      stdout: `${full}/web\n`,
      stderr: 'Error from server (NotFound): horizontalpodautoscalers.autoscaling "nobody" not found\n',
      exitCode: 1,
    });
  });

  test("describe -f describes them", async () => {
    const { stdout } = await run(["describe", "-f", await file(text)]);
    expect(stdout.match(/^Name: +\w+$/gm)).toEqual([expect.stringMatching(/web$/), expect.stringMatching(/orders$/)]);
  });

  test.each(["get", "describe", "delete"])("%s takes names or files, not both", async (verb) => {
    expect(await run([verb, "-f", folder(), "hpa", "web"])).toMatchObject(
      refused("when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well"),
    );
  });
});

test("describe takes the beginning of a name, when no object has the whole", async () => {
  const whole = await run(["describe", "hpa", "web", "--no-show-events"]);
  expect(await run(["describe", "hpa", "we"])).toEqual({ ...whole, stdout: `${whole.stdout}\n` });
});
