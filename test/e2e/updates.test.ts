import { isDeepStrictEqual } from "node:util";
import { someAtATime } from "../../lib/async/semaphore";
import { readVectors } from "../core/vectors";
import { type UpdateAnswer, answerUpdate } from "../k8s/updates/answer-update";
import { type HpaLike, updatePairs } from "../k8s/updates/update-pairs";
import { jsonOf, quantitiesOf, writtenNumbers, yamlNumbers, yamlOf } from "../k8s/written-numbers";
import { validateHpa, validateHpaJson } from "../../lib/k8s/validate/validate-hpa";
import { type ApiServer, startApiServer } from "./servers/api-server";
import { storeObject } from "./servers/stored-objects";

/** What the real API server answers to an HPA, new or as an update. Our validation and writing verbs answer alike. */

let apiServer: ApiServer;

beforeAll(async () => {
  apiServer = await startApiServer();
});

afterAll(() => apiServer.stop());

interface Update {
  readonly stored: HpaLike;
  readonly given: HpaLike;
}

interface Answered extends Update {
  readonly ours: UpdateAnswer;
  readonly theirs: UpdateAnswer;
}

/** The API server only plans each update, so that all of a stored HPA meet the same one. */
async function planUpdates(stored: HpaLike, given: readonly HpaLike[]): Promise<readonly Answered[]> {
  const { name } = stored.metadata;
  await storeObject(apiServer, `horizontalpodautoscalers/default/${String(name)}`, stored);
  const answered: Answered[] = [];
  for (const one of given) {
    const path = `/apis/${one.apiVersion}/namespaces/default/horizontalpodautoscalers/${String(name)}?dryRun=All`;
    const { status, body } = await apiServer.admin.send("PUT", path, one);
    answered.push({ stored, given: one, ours: answerUpdate(stored, one), theirs: answerOf(status, body, one) });
  }
  return answered;
}

function answerOf(status: number, body: unknown, { apiVersion }: HpaLike): UpdateAnswer {
  if (status !== 200) {
    const { message, details } = body as {
      message: string;
      details?: { causes?: { field: string; message: string }[] };
    };
    const errors = details?.causes?.map((cause) => `${cause.field}: ${cause.message}`) ?? [message];
    return { errors: [...new Set(errors)] };
  }
  const { metadata, spec } = body as HpaLike;
  const { generation } = metadata;
  return apiVersion === "autoscaling/v2" ? { generation, spec } : { generation };
}

/** With a name and an identity of its own. */
function named({ stored, given }: { readonly stored: HpaLike; readonly given: readonly HpaLike[] }, index: number) {
  const name = `${String(stored.metadata["name"])}-${index}`;
  const identity = { namespace: "default", uid: `uid-${index}`, creationTimestamp: "2026-01-01T00:00:00Z" };
  return {
    stored: { ...stored, metadata: { ...stored.metadata, ...identity, name } },
    given: given.map((one) => ({ ...one, metadata: { ...one.metadata, name } })),
  };
}

const differences = (answered: readonly Answered[]) =>
  answered.filter(({ ours, theirs }) => !isDeepStrictEqual(ours, theirs)).slice(0, 5);

test("5,000 generated updates have the same errors, or the same generation and spec", async () => {
  const pairs = updatePairs(20261126, 1_000).map(named);
  const plan = ({ stored, given }: (typeof pairs)[number]) => planUpdates(stored, given);
  const { signal } = new AbortController();
  const answered = (await someAtATime(pairs, { limit: 8, signal }, plan)).flat();
  expect(differences(answered)).toEqual([]);
  const accepted = answered.filter(({ theirs }) => !("errors" in theirs));
  const onlyAsUpdate = accepted.filter(({ given }) => validateHpa(given).errors.length > 0);
  expect(answered.length).toBeGreaterThanOrEqual(5_000);
  expect(accepted.length).toBeGreaterThan(1_000);
  expect(onlyAsUpdate.length).toBeGreaterThan(400);
});

test("the recorded answers are still the API server's", async () => {
  const vectors = readVectors<Update & { readonly expect: UpdateAnswer }>("updates");
  for (const { stored, given, expect: recorded } of vectors) {
    const [answer] = await planUpdates(stored, [given]);
    expect(answer?.theirs).toEqual(recorded);
  }
});

const hpas = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";

const planCreation = async (text: string, type: "json" | "yaml") =>
  apiServer.admin.send("POST", `${hpas}?dryRun=All&fieldValidation=Strict`, text, {
    "content-type": `application/${type}`,
  });

test("unquoted quantities are served as test/k8s/written-numbers.ts says", async () => {
  const servedAs = async (text: string, type: "json" | "yaml") => {
    const { body } = await planCreation(text, type);
    return quantitiesOf((body as HpaLike).spec)[0];
  };
  for (const [written, ofJson, ofYaml] of writtenNumbers) {
    expect([written, await servedAs(jsonOf(written), "json")]).toEqual([written, ofJson]);
    expect([written, await servedAs(yamlOf(written), "yaml")]).toEqual([written, ofYaml]);
  }
  for (const [written, served] of yamlNumbers)
    expect([written, await servedAs(yamlOf(written), "yaml")]).toEqual([written, served]);
});

test.each<[string, string, string]>([
  [
    "a kind twice",
    '"kind":"HorizontalPodAutoscaler"',
    '"kind":"HorizontalPodAutoscaler","kind":"HorizontalPodAutoscaler"',
  ],
  ["then null", '"kind":"HorizontalPodAutoscaler"', '"kind":"HorizontalPodAutoscaler","kind":null'],
  ["another one before", '"kind":"Horiz', '"kind":"Deployment","kind":"Horiz'],
  ["an apiVersion twice", '"apiVersion":"autoscaling/v2"', '"apiVersion":"autoscaling/v2","apiVersion":null'],
  ["metadata twice", '"metadata":', '"metadata":{"name":"x"},"metadata":'],
  ["an unknown field", '"maxReplicas":3', '"maxReplicas":3,"maxReplica":3'],
])("%s: the same error", async (_name, from, to) => {
  const text = jsonOf("5").replace(from, to);
  const { message } = (await planCreation(text, "json")).body as { message: string };
  const prefix = 'HorizontalPodAutoscaler in version "v2" cannot be handled as a HorizontalPodAutoscaler: ';
  expect(validateHpaJson(text).errors).toEqual([message.slice(prefix.length)]);
});

test("a name is made of a generateName", async () => {
  const text = jsonOf("5").replace('"name":"web"', '"generateName":"web-"');
  const { body } = await planCreation(text, "json");
  expect((body as HpaLike).metadata["name"]).toMatch(/^web-[b-z2-9]{5}$/);
  expect(validateHpaJson(text).errors).toEqual([]);
});

test("a condition's unset time is null", async () => {
  await apiServer.admin.create(hpas, JSON.parse(jsonOf("5")));
  const conditions = [{ type: "AbleToScale", status: "True" }];
  const path = `${hpas}/web/status`;
  const { status } = await apiServer.admin.patch<{ status: unknown }>(path, { status: { conditions } });
  expect(status).toMatchObject({ conditions: [{ ...conditions[0], lastTransitionTime: null }] });
});
