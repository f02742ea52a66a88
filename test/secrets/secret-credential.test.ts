import { Fault } from "../../lib/model/fault";
import { onThisMachine } from "../../lib/net/address";
import { bearerToken, secretCredential } from "../../lib/secrets/secret-credential";
import { noLimit } from "../time/no-limit";

const minuteMs = 60_000;
const endpoint = "https://stats.example.com";
const outage = () => Promise.reject<string>(new Fault("unreachable", "secret ebb/prod/stats: no route"));
const secretFor = (address: string) => () => Promise.resolve(JSON.stringify({ endpoint: address, token: "t0k3n" }));

function open() {
  const clock = { now: 0 };
  const manager = { read: secretFor(endpoint) };
  const authenticator = secretCredential(
    { name: "ebb/prod/stats", field: "secret" },
    bearerToken,
    { cluster: "prod", endpoint: { url: new URL(endpoint) } },
    { secrets: () => manager.read(), addresses: onThisMachine, now: () => clock.now },
  );
  return { clock, manager, next: () => authenticator.credential(noLimit()) };
}

test("a secret that was read is used for an hour beyond its five minutes while Secrets Manager does not answer", async () => {
  const { clock, manager, next } = open();
  const first = await next();
  manager.read = outage;
  for (const minutes of [5, 30, 64]) {
    clock.now = minutes * minuteMs;
    expect(await next()).toBe(first);
  }
  clock.now = 65 * minuteMs;
  await expect(next()).rejects.toThrow("no route");
});

test("a secret that is for another endpoint by now is not used after five minutes", async () => {
  const { clock, manager, next } = open();
  await next();
  manager.read = secretFor("https://other.example.com");
  clock.now = 5 * minuteMs;
  await expect(next()).rejects.toMatchObject({ kind: "badEntry" });
});
