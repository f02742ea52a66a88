import { tableForTests } from "./table";

const { byHand, run, table } = tableForTests();
const names = Array.from({ length: 150 }, (_, index) => `web-${index}`);

beforeAll(async () => {
  const spec = { endpoint: "https://a.example", auth: { type: "token", secret: "ebb/prod" } };
  await byHand({ pk: "CLUSTER#prod", sk: "CLUSTER", spec });
  for (const name of names) {
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
    await byHand({ pk: "CLUSTER#prod", sk: `HPA#default/${name}`, spec: { maxReplicas: 2, scaleTargetRef } });
  }
});

/** How many requests of the table were under way at most while `act` ran. */
async function mostAtATime(act: () => Promise<unknown>): Promise<number> {
  const { middlewareStack } = table().client;
  let running = 0;
  let most = 0;
  middlewareStack.add(
    (next) => async (args) => {
      most = Math.max(most, ++running);
      try {
        return await next(args);
      } finally {
        running -= 1;
      }
    },
    { step: "initialize", name: "counting", override: true },
  );
  try {
    await act();
  } finally {
    middlewareStack.remove("counting");
  }
  return most;
}

test.each(["get hpa", "describe hpa", "delete --dry-run hpa", "label --overwrite hpa", "pause hpa"])(
  "%s with 150 names reads a few at a time and warns of nothing",
  async (verb) => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on("warning", onWarning);
    const marks = verb.startsWith("label") ? ["tier=batch"] : [];
    const most = await mostAtATime(async () => {
      const { exitCode, stderr } = await run([...verb.split(" "), ...names, ...marks]);
      expect([stderr, exitCode]).toEqual(["", 0]);
    });
    process.off("warning", onWarning);
    expect(most).toBeLessThanOrEqual(16);
    expect(warnings.map(({ message }) => message)).toEqual([]);
  },
);
