import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { newPageKey, pageGuarded } from "../../../local/guard/page-guard";
import { strangeHeaders } from "./strange-headers";

const key = newPageKey();
let server: Server;
let port: number;
const served: string[] = [];

beforeAll(async () => {
  server = createServer(
    pageGuarded(key, ({ path, query }, response) => {
      served.push(path);
      response.end(`${path} ${query.get("name")}`);
      return Promise.resolve();
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
});
beforeEach(() => void served.splice(0));
afterAll(() => new Promise((resolve) => server.close(resolve)));

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

function ask(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => (body += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    sent.on("error", reject).end();
  });
}

const typed = { "sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
const own = () => ({ origin: `http://127.0.0.1:${port}`, "sec-fetch-site": "same-origin" });

test.each<[string, () => Readonly<Record<string, string>>]>([
  ["an address that somebody types", () => typed],
  ["a link that somebody follows", () => ({ ...typed, "sec-fetch-site": "cross-site" })],
  ["the page itself", own],
  ["a program", () => ({})],
  ["another name of loopback", () => ({ host: `localhost:${port}` })],
])("with the key, serves %s", async (_, headers) => {
  expect(await ask(`/${key}/api/hpa?name=web`, headers())).toMatchObject({ status: 200, body: "api/hpa web" });
});

const foreign = strangeHeaders.filter(([, headers]) => headers["sec-fetch-site"] !== "none");

test.each(foreign)("even with the key, refuses %s", async (_, headers) => {
  expect(await ask(`/${key}/`, headers)).toMatchObject({ status: 403 });
  expect(served).toEqual([]);
});

test.each<[string, (key: string) => string]>([
  ["no key", () => "/"],
  ["a key of the same length", () => `/${newPageKey()}/`],
  ["the start of the key", (whole) => `/${whole.slice(0, -1)}/`],
  ["the key elsewhere", (whole) => `/x/${whole}/`],
  ["the key in the query", (whole) => `/?${whole}`],
  ["an address as of a proxy", (whole) => `http://127.0.0.1/${whole}/`],
])("refuses %s", async (_, path) => {
  expect(await ask(path(key), own())).toMatchObject({ status: 403 });
  expect(served).toEqual([]);
});

test.each(["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"])("refuses %s", async (method) => {
  expect((await ask(`/${key}/`, own(), method)).status).toBe(405);
  expect(served).toEqual([]);
});

test("goes on to the address that relative ones need", async () => {
  expect(await ask(`/${key}`)).toMatchObject({ status: 308, headers: { location: `/${key}/` } });
});

test("every answer forbids what the page does not need", async () => {
  for (const path of [`/${key}/`, "/", `/${key}`]) {
    const { headers } = await ask(path);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
    expect(headers).toMatchObject({
      ...{ "referrer-policy": "no-referrer", "x-content-type-options": "nosniff", "cache-control": "no-store" },
      ...{ "x-frame-options": "DENY", "cross-origin-resource-policy": "same-origin" },
    });
    expect(headers).not.toHaveProperty("access-control-allow-origin");
  }
});
