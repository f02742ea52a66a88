import { isDeepStrictEqual } from "node:util";
import { someAtATime } from "../../lib/async/semaphore";
import { readVectors } from "../core/vectors";
import { type UpdateAnswer, answerUpdate } from "../k8s/updates/answer-update";
import { type HpaLike, updatePairs } from "../k8s/updates/update-pairs";
import { validateHpa } from "../../lib/k8s/validate/validate-hpa";
import { type ApiServer, startApiServer } from "./servers/api-server";
import { storeObject } from "./servers/stored-objects";

/** Updates of valid and invalid HPAs, by the real API server and by the writing verbs: both answer alike. */

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
