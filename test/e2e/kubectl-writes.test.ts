import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { servedTableForTests } from "../cli/table";
import { startApiServer, type ApiServer } from "./servers/api-server";
import { installed } from "./servers/installed";
import { storeObject } from "./servers/stored-objects";

/** The same command lines, one after the other, in a real API server and in a table: the two say and exit alike. */

const { run, byHand, file } = servedTableForTests();
let apiServer: ApiServer;
const files: Record<string, string> = {};

const hpa = (name: string, maxReplicas: number) => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: ${name}, labels: { app: ${name} } }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }, maxReplicas: ${maxReplicas} }
`;

beforeAll(async () => {
  apiServer = await startApiServer();
  await byHand({
    pk: "CLUSTER#e2e",
    sk: "CLUSTER",
    spec: { auth: { type: "kubeconfig", file: apiServer.kubeconfig } },
  });
  for (const [name, maxReplicas] of Object.entries({ old: 5, broken: 0 })) await storeInvalid(name, maxReplicas);
  files["BOTH"] = await file(`${hpa("web", 5)}---\n${hpa("orders", 9)}`);
  files["NEW"] = await file(`${hpa("new", 5)}---\n${hpa("orders", 9)}`);
  files["NEWER"] = await file(hpa("newer", 5));
  for (const name of ["web", "worker"]) await kubectl(["create", "deployment", name, "--image=x"]);
  files["THIRD"] = await file(`${hpa("third", 5)}---\n${hpa("fourth", 9)}`);
  files["PATCH"] = await file('{"spec":{"minReplicas":3}}');
});

afterAll(() => apiServer.stop());

/** No new HPA may have this apiVersion, nor 0 as its maximum. */
async function storeInvalid(name: string, maxReplicas: number) {
  const scaleTargetRef = { apiVersion: "v1", kind: "Deployment", name: "web" };
  const stored = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace: "default", uid: `uid-${name}`, generation: 1 },
    spec: { scaleTargetRef, maxReplicas },
  };
  await storeObject(apiServer, `horizontalpodautoscalers/default/${name}`, stored);
  await byHand({ pk: "CLUSTER#e2e", sk: `HPA#default/${name}`, ...stored });
}

const execute = promisify(execFile);

async function kubectl(args: readonly string[]) {
  return execute(installed().kubectl, ["--kubeconfig", apiServer.kubeconfig, ...args]).then(
    ({ stdout, stderr }) => ({ stdout, stderr, exitCode: 0 }),
    ({ stdout, stderr, code }: { stdout: string; stderr: string; code: number }) => ({
      stdout,
      stderr,
      exitCode: code,
    }),
  );
}

/** Their order is this file's: each builds on what those before it wrote. "~": stderr is worded otherwise. */
const lines = [
  "create -f BOTH --dry-run=client",
  "create -f BOTH --dry-run=server",
  "create -f BOTH",
  "create -f BOTH",
  "create -f BOTH --dry-run=client -o name",
  "create -f BOTH --dry-run=server",
  "create -f NEW",
  "create -f NEWER -o jsonpath={.metadata.name}",
  "~ create",
  "replace -f BOTH",
  "replace -f BOTH --dry-run=client",
  "replace -f BOTH --dry-run=server -o name",
  "~ replace",
  "delete hpa new newer",
  "replace -f NEW",
  `patch hpa web -p {"spec":{"maxReplicas":7}}`,
  `patch hpa web -p {"spec":{"maxReplicas":7}}`,
  "patch hpa web --patch-file PATCH -o name",
  `patch hpa web --type=merge -p {"metadata":{"labels":{"x":"y","app":null}}}`,
  "get hpa web -o jsonpath={.spec}{.metadata.labels}",
  `patch hpa web --type=json -p [{"op":"replace","path":"/spec/maxReplicas","value":8}]`,
  `~ patch hpa web --type=json -p [{"op":"test","path":"/spec/maxReplicas","value":1}]`,
  `~ patch hpa web --type=json -p [{"op":"remove","path":"/spec/nope"}]`,
  `patch hpa web -p {"spec":{"metrics":[{"type":"Resource","resource":{"name":"memory","target":{"type":"Utilization","averageUtilization":50}}}]}}`,
  "get hpa web -o jsonpath={.spec}",
  `patch hpa web -p {"spec":{"behavior":{"scaleDown":{"policies":[{"type":"Pods","value":2,"periodSeconds":30}]}}}}`,
  `patch hpa web -p {"spec":{"behavior":{"scaleDown":{"$patch":"replace","stabilizationWindowSeconds":3}}}}`,
  "get hpa web -o jsonpath={.spec.behavior}",
  `patch hpa web --type=merge -p {"spec":{"behavior":null}}`,
  "get hpa web -o jsonpath={.spec}",
  `patch hpa web -p {"metadata":{"name":"x"}}`,
  `patch hpa web -p {"spec":{"maxReplicas":0}}`,
  "patch hpa web -p []",
  "patch hpa web --type=bogus -p {}",
  "patch hpa web",
  "patch hpa web -p {} --patch-file PATCH",
  `patch hpa nobody web -p {"spec":{"maxReplicas":6}}`,
  `patch hpa/web hpa/orders -p {"metadata":{"labels":{"q":"t"}}}`,
  `patch -f BOTH -p {"metadata":{"labels":{"q":"u"}}}`,
  "label hpa web a=b --dry-run=client",
  "label hpa web a=b --dry-run=server",
  "label hpa web a=b -o name",
  "label hpa web a=b",
  "label hpa web a=c",
  "label hpa web orders a=c --overwrite",
  "~ label hpa orders --list -l app=none",
  "label -f BOTH z=1",
  "annotate hpa web n=1 --dry-run=server",
  "annotate hpa web n=1",
  "annotate hpa web --list",
  "label hpa old a=b",
  "annotate hpa old a=b",
  `patch hpa old -p {"spec":{"scaleTargetRef":{"kind":"StatefulSet"}}}`,
  "label hpa broken a=b",
  "annotate hpa broken a=b",
  "delete hpa old broken",
  "wait hpa/web --for=create",
  "wait hpa/web --for=jsonpath={.spec.maxReplicas}=6 --timeout=3s",
  "wait hpa/web --for=jsonpath={.spec.maxReplicas}=60 --timeout=1s",
  "wait hpa/web --for=jsonpath={.spec.minReplicas} --timeout=3s",
  "wait hpa/web --for=condition=X --timeout=1s",
  "wait hpa/web hpa/orders --for=jsonpath={.spec.scaleTargetRef.kind}=Deployment -o name",
  "wait hpa/nobody --for=condition=X",
  "wait hpa/nobody --for=delete",
  "wait hpa -l app=none --for=condition=X",
  "wait hpa --for=condition=X",
  "wait hpa/web --for=bogus",
  "~ wait hpa/web",
  "wait hpa/web --for=delete --timeout=1s",
  "label hpa web --list -o json",
  "annotate hpa web --list -o name",
  "label hpa --all -l app=web a=b",
  "annotate hpa --all -l app=web a=b",
  "~ wait hpa web --all --for=delete",
  "wait hpa --all -l app=none --for=delete",
  "delete -f BOTH",
  "apply -f THIRD --dry-run=client",
  "apply -f THIRD --dry-run=server -o name",
  "apply -f THIRD -o jsonpath={.kind}{.items[*].metadata.name}",
  "apply -f THIRD",
  "apply -f THIRD --dry-run=server",
  "apply -f THIRD -o name",
  "apply -f THIRD -o jsonpath={.items[*].spec.maxReplicas}",
  "~ apply -f THIRD -o bogus",
  "delete hpa third -o yaml",
  "delete hpa third --dry-run=client",
  "delete -f THIRD --dry-run=client",
  "delete -f THIRD -l app=third --dry-run=client",
  "delete -f THIRD -l app=third --dry-run=server -o name",
  "delete -f THIRD -l app=none",
  "delete hpa -l app=none",
  "delete hpa -l app=none -o name",
  "delete hpa third --dry-run=server -o name",
  "delete hpa third nobody -o name",
  "delete -f THIRD --ignore-not-found",
  "autoscale deployment web --max 5 --dry-run=client",
  "autoscale deployment web --max 5 --dry-run=server",
  "autoscale deployment web --max 5 --dry-run=client -o jsonpath={.spec}{.metadata.name}",
  "autoscale deployment web --max 5 --dry-run=server -o jsonpath={.spec}{.metadata.namespace}",
  "autoscale deployment web --max 5",
  "get hpa web -o jsonpath={.spec}",
  "autoscale deploy/worker --max=4 --min=2 --cpu=70% --name=w1 -o name",
  "get hpa w1 -o jsonpath={.spec}",
  "autoscale deployments.apps worker --max 4 --cpu=500m --memory=200Mi --name=w2",
  "get hpa w2 -o jsonpath={.spec}",
  "autoscale deploy worker --max 4 --cpu=80 --memory=60% --name=w3 -o jsonpath={.spec}",
  "autoscale deploy worker --max 4 --cpu=1.5 --name=w4 -o jsonpath={.spec.metrics}",
  "autoscale deploy worker --max 4 --memory=100 --name=w5 -o jsonpath={.spec.metrics}",
  "autoscale deploy worker --max 4 --cpu-percent=70 --name=w6",
  "get hpa w6 -o jsonpath={.spec}",
  "autoscale deploy worker --max 4 --cpu-percent=70 --cpu=70% --name=w7",
  "autoscale deploy worker --max 4 --cpu=bogus --name=w7",
  "autoscale deploy worker --max 4 --cpu=70x% --name=w7",
  "autoscale deploy worker --max 4 --memory=bogus --name=w7",
  "autoscale deploy worker --max 0",
  "autoscale deploy worker --max -3",
  "autoscale deploy worker --max 4 --min 5",
  "autoscale deploy worker",
  "autoscale deploy worker --min 2",
  "autoscale",
  "~ autoscale deploy",
  "~ autoscale --max 4",
  "~ autoscale deploy worker --max x",
  "~ autoscale deploy worker --max 4 --name=W_7",
  "~ autoscale deploy web --max 5",
  "~ autoscale deploy worker --max 4 --name=w8 -o bogus",
];

test("the same lines", async () => {
  const [ours, theirs]: [object[], object[]] = [[], []];
  for (const line of lines) {
    const isOtherwise = line.startsWith("~ ");
    const args = line.replace(/^~ /, "").split(" ");
    const given = args.map((word) => files[word] ?? word);
    const said = (text: string) => (isOtherwise ? text !== "" : text);
    const answer = await kubectl(given);
    theirs.push({ line, ...answer, stderr: said(answer.stderr) });
    const ran = await run(["--cluster", "e2e", ...given], { now: () => Date.now() });
    ours.push({ line, ...ran, stderr: said(ran.stderr) });
  }
  expect(ours).toEqual(theirs);
}, 300_000);
