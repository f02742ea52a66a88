import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { Dashboard } from "../../cli/look/dashboard/serve";
import { pause } from "../../lib/async/within-time";
import { Fault } from "../../lib/model/fault";
import { functionsNode } from "../../scripts/functions-node.mjs";
import { fleetOf, type Recorded } from "../web/recorded-fleet";
import { recordedNow as now, serveRecorded } from "../web/serve-recorded";
import { eventually } from "./servers/eventually";
import { installedProgram } from "./servers/installed";
import { type LocalRun, startLocalRun } from "./servers/local-run";

/** The page in a real browser: on the demo of `ebb start`, and on recorded fleets, whose table fails on request. */
const hostile: readonly Recorded[] = [
  `<img src=x onerror="document.title='hacked'">`,
  "\u202egnp.exe\u2066 right to left",
  "x".repeat(253),
  "a/b?c#d&e=%2F",
  `"><script>alert(1)</script>`,
].map((name, index) => ({
  cluster: "prod",
  namespace: "hostile",
  name: name.replaceAll("/", "∕"),
  kind: kindOf(index),
}));

function kindOf(index: number): Recorded["kind"] {
  return index % 2 === 0 ? "failing" : "held";
}

let browser: Browser;
const ending: (() => unknown)[] = [];
let big: Served;
let small: Served;

interface Served {
  readonly dashboard: Dashboard;
  /** The table answers so: absent, as it is. */
  mishap?: "fails" | "hangs" | "slow" | "lies" | undefined;
}

beforeAll(async () => {
  const executablePath = installedProgram("chromium");
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  ending.push(() => browser.close());
  big = await serve(fleetOf(10_000, ["eu-prod", "us-prod"]));
  const spared = { cluster: "eu-prod", namespace: "jobs", name: "worker", kind: "busy" } as const;
  small = await serve([...fleetOf(40, ["eu-prod", "us-prod"]), spared, ...hostile], 1_440);
});
afterAll(async () => {
  for (const end of ending.reverse()) await end();
});

afterEach(() => {
  small.mishap = undefined;
});

function waitForAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
}

async function serve(fleet: readonly Recorded[], minutes = 0): Promise<Served> {
  const served: { dashboard?: Dashboard; mishap?: Served["mishap"] } = {};
  served.dashboard = await serveRecorded(fleet, {
    minutes,
    // A small fleet is read again at once, and its table is slow at once.
    pauses: (ms) => (fleet.length > 1_000 ? ms : ms > 15_000 ? 2_000 : 200),
    store: (real) => ({
      ...real,
      shards(signal) {
        if (served.mishap === "fails")
          return Promise.reject(new Fault("throttled", "the table throttles: ThrottlingException"));
        if (served.mishap === "hangs") return waitForAbort(signal);
        return real.shards(signal);
      },
      async load(range, signal, known) {
        if (served.mishap === "slow") await pause(2_000, signal);
        const contents = await real.load(range, signal, known);
        if (served.mishap !== "lies" || range.cluster !== "us-prod") return contents;
        const spec = "<html><body>Bad gateway</body></html>";
        return { ...contents, hpas: contents.hpas.map(({ key }) => ({ key, document: { spec } })) };
      },
    }),
  });
  ending.push(() => served.dashboard?.close());
  return served as Served;
}

interface Opened {
  readonly page: Page;
  /** What the browser complained about, and each request to another server. */
  readonly complaints: readonly string[];
}

async function open(url: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, timezoneId: "UTC", ...options });
  ending.push(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) complaints.push(`asked ${request.url()}`);
  });
  await page.clock.setFixedTime(now);
  await page.goto(url);
  return { page, complaints };
}

const fits = `document.documentElement.scrollWidth <= innerWidth`;

const rowsIn = (page: Page) => page.getByRole("row").filter({ has: page.getByRole("cell") });

async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const problems = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
  });
  expect(problems).toEqual([]);
}

test("10,000 HPAs: a list with few rows in the document, that a search makes short", async () => {
  const { page, complaints } = await open(big.dashboard.url);
  await page.getByText("10,000 HPAs", { exact: true }).waitFor();
  expect(await rowsIn(page).count()).toBeLessThan(60);
  expect(await page.getByRole("table").getAttribute("aria-rowcount")).toBe("10001");
  await page.keyboard.press("/");
  await page.keyboard.type("thumbnails-7 media");
  await page.getByText(/^\d+ of 10,000 HPAs$/).waitFor();
  expect(new URL(page.url()).search).toBe("?q=thumbnails-7+media");
  expect(await rowsIn(page).allTextContents()).toEqual(
    expect.arrayContaining([expect.stringContaining("thumbnails-7")]),
  );
  await page.reload();
  await page.getByText(/^\d+ of 10,000 HPAs$/).waitFor();
  expect(await page.getByRole("searchbox").inputValue()).toBe("thumbnails-7 media");
  expect(complaints).toEqual([]);
});

test("which HPAs are held back now, and by what: one click", async () => {
  const { page } = await open(big.dashboard.url);
  await page.getByRole("button", { name: /held$/ }).click();
  await page.getByText(/of 10,000 HPAs$/).waitFor();
  const first = rowsIn(page).first();
  expect(await first.textContent()).toMatch(/^held.*stabilization window, \d+m.* more/);
  await expectAccessible(page);
});

test("why did this one not scale at 03:00: the list, its name, the time", async () => {
  const { page, complaints } = await open(`${small.dashboard.url}?state=held`);
  await rowsIn(page).first().getByRole("link").click();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByLabel("How was it at").fill("2026-03-01T12:00:05Z");
  await page.keyboard.press("Enter");
  await page.getByText("As it was at 2026-03-01T12:00:05Z.").waitFor();
  await page.getByText(/stayed at 8 replicas, though the metrics asked for 2/).waitFor();
  expect(await page.locator(".copy code").textContent()).toMatch(/^ebb explain hpa .* --at 2026-03-01T12:00:05Z/);
  await expectAccessible(page);
  await page.getByLabel("How was it at").fill("soon");
  await page.keyboard.press("Enter");
  await page
    .getByRole("alert")
    .getByText(/expected a time such as 03:00/)
    .waitFor();
  await page.goBack();
  await page.goBack();
  await page.getByText("Events of the last hour").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("table", { name: "HPAs" }).waitFor();
  expect(new URL(page.url()).search).toBe("?state=held");
  expect(complaints.filter((text) => !/status of 400/.test(text))).toEqual([]);
});

test("what did going to zero save this month: the first screen says it, and each row its last hour", async () => {
  const { page } = await open(`${small.dashboard.url}?state=atZero`);
  const saved = page.getByRole("region", { name: "What zero saved" });
  await saved.waitFor();
  expect(await saved.textContent()).toMatch(
    /^Going to zero saved [\d,]+ replica-hours this month, about \$\d+\.\d\d at \$0\.0408 a replica-hour; [\d,]+ today/,
  );
  const spark = rowsIn(page)
    .first()
    .getByRole("img", { name: /^0 to \d+ replicas in the last hour$/ });
  await spark.waitFor();
  expect(await spark.locator("path").getAttribute("d")).toMatch(/^M[\d.]+,[\d.]+H.*V18\.0H88\.0$/);
});

/** In the middle of what the charts show, from 0 to 1. */
async function hover(page: Page, share: number): Promise<{ readonly x: number; readonly y: number }> {
  const box = await page.locator(".u-over").last().boundingBox();
  if (box === null) throw new Error("expected a chart");
  const point = { x: box.x + box.width * share, y: box.y + box.height / 2 };
  await page.mouse.move(point.x, point.y);
  return point;
}

test("one HPA over time: the moment under the cursor in explain's words, kept by a click, closer by a drag", async () => {
  const { page, complaints } = await open(`${small.dashboard.url}?hpa=us-prod/billing/webhooks`);
  await page.getByRole("img", { name: /^Replicas: \d+ to 8/ }).waitFor();
  await page.getByText("stabilization window", { exact: false }).first().waitFor();
  const decision = page.getByRole("region", { name: "The decision" });
  await hover(page, 0.999);
  await decision.getByText(/stayed at 8 replicas, though the metrics asked for 2/).waitFor();
  const { x, y } = await hover(page, 0.5);
  await page.mouse.down();
  await page.mouse.move(x + 150, y, { steps: 3 });
  await page.mouse.up();
  await page.waitForURL(/range=2026-03-01T11:3\d:\d\dZ\/2026-03-01T11:4\d:\d\dZ/);
  await page.getByRole("button", { name: "1h" }).click();
  await page.waitForURL((url) => !url.search.includes("range"));
  await page.getByText(/^11:00:10 to 12:00:10$/).waitFor();
  const last = await hover(page, 0.9999);
  await page.mouse.click(last.x, last.y);
  await page.getByText(/^As it was at 2026-03-01T12:00:/).waitFor();
  expect(await page.locator(".copy code").textContent()).toMatch(/^ebb explain hpa webhooks --at 2026-03-01T12:00:/);
  await page.mouse.move(0, 0);
  await expectAccessible(page);
  expect(complaints).toEqual([]);
});

test("one HPA over time, by keyboard and for a screen reader: moments in words, and a table", async () => {
  const { page } = await open(`${small.dashboard.url}?hpa=us-prod/billing/webhooks`);
  const moment = page.getByRole("slider", { name: /^(Moment|\d)/ });
  await moment.focus();
  expect(await moment.getAttribute("aria-valuetext")).toMatch(
    /^12:00:.*8 replicas, 2 recommended, stabilization window$/,
  );
  for (let presses = 0; presses < 60; presses += 1) await page.keyboard.press("ArrowLeft");
  expect(await moment.getAttribute("aria-valuetext")).toMatch(/^11:50:.*8 replicas, 8 recommended$/);
  await page.keyboard.press("End");
  await page
    .getByRole("region", { name: "The decision" })
    .getByText(/stayed at 8 replicas/)
    .waitFor();
  await page.keyboard.press("Enter");
  await page.getByText(/^As it was at 2026-03-01T12:00:/).waitFor();
  await page.getByText("As a table").click();
  const changes = page.getByRole("table").filter({ hasText: "Recommended" });
  expect(await changes.getByRole("row").nth(1).textContent()).toMatch(/8.*2.*8.*stabilization window/);
  await expectAccessible(page);
});

test("by keyboard alone: to the list, along it, into an HPA and back", async () => {
  const { page } = await open(big.dashboard.url);
  await page.getByText("10,000 HPAs", { exact: true }).waitFor();
  const focused = () => page.evaluate<string>(`document.activeElement.textContent`);
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate<boolean>(`document.activeElement.closest("[data-row]") !== null`)) break;
  }
  expect(await focused()).toBe(await rowsIn(page).first().getByRole("link").textContent());
  await page.keyboard.press("End");
  await eventually("the last row has the focus", async () => {
    expect(await page.evaluate<string>(`document.activeElement.closest("[data-row]")?.dataset.row`)).toBe("9999");
  });
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("table", { name: "HPAs" }).waitFor();
});

test("names and texts of others are text: no markup, no turned lines, and each opens", async () => {
  const { page, complaints } = await open(`${small.dashboard.url}?namespace=hostile`);
  await page.getByText("5 of 46 HPAs").waitFor();
  const count = await rowsIn(page).count();
  expect(count).toBe(5);
  for (let index = 0; index < count; index += 1) {
    await rowsIn(page).nth(index).getByRole("link").click();
    await page.getByText("Events of the last hour").waitFor();
    expect(await page.title()).toMatch(/ – ebb$/);
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(await page.evaluate<boolean>(fits)).toBe(true);
    expect(await page.locator("main").textContent()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    await page.goBack();
    await page.getByText("5 of 46 HPAs").waitFor();
  }
  expect(complaints).toEqual([]);
});

test("a table that fails shows itself, since when, and keeps what was read; then it is live again", async () => {
  const { page } = await open(small.dashboard.url);
  await page.getByText("46 HPAs", { exact: true }).waitFor();
  small.mishap = "fails";
  await page
    .getByRole("alert")
    .getByText(/The table is out of reach for .*ThrottlingException/)
    .waitFor();
  expect(await rowsIn(page).count()).toBeGreaterThan(10);
  await expectAccessible(page);
  small.mishap = undefined;
  await page.getByRole("alert").waitFor({ state: "detached" });
});

test("a table that does not answer shows itself too, with what was read in grey, on every page", async () => {
  const { page } = await open(small.dashboard.url);
  await page.getByText("46 HPAs", { exact: true }).waitFor();
  small.mishap = "hangs";
  await page
    .getByRole("alert")
    .getByText(/The table is out of reach for .*it has not answered for/)
    .waitFor();
  expect(await page.evaluate<string>(`getComputedStyle(document.querySelector(".page.old .rows")).filter`)).toBe(
    "grayscale(1)",
  );
  await rowsIn(page).first().getByRole("link").click();
  await page
    .getByRole("alert")
    .getByText(/The table is out of reach/)
    .waitFor();
  await page.goBack();
  small.mishap = undefined;
  await page.getByRole("alert").waitFor({ state: "detached" });
});

test("a table that answers slowly fills the list cluster by cluster, and says that it still reads", async () => {
  // Nobody looks at it yet, so nothing of it has been read.
  const slow = await serve(fleetOf(40, ["eu-prod", "us-prod"]));
  slow.mishap = "slow";
  const { page } = await open(slow.dashboard.url);
  await page.getByText(/^\d+ HPAs, and still reading$/).waitFor();
  expect(await rowsIn(page).count()).toBeGreaterThan(5);
  await page.getByText("40 HPAs", { exact: true }).waitFor();
});

test("a table that answers wrongly makes those HPAs fail, with what was wrong, and no others", async () => {
  small.mishap = "lies";
  const { page, complaints } = await open(`${small.dashboard.url}?cluster=us-prod`);
  await page.getByRole("button", { name: /^20 failing$/ }).waitFor();
  expect(await rowsIn(page).first().textContent()).toMatch(/^failing.*spec/);
  expect(await page.locator("main img, main script").count()).toBe(0);
  await page.getByLabel("Cluster", { exact: true }).selectOption("eu-prod");
  await page.getByText("21 of 46 HPAs").waitFor();
  small.mishap = undefined;
  await page.getByLabel("Cluster", { exact: true }).selectOption("us-prod");
  await page.getByRole("button", { name: /at zero$/ }).waitFor();
  expect(complaints).toEqual([]);
});

test("one source: its value over time, its errors, and who scales on it", async () => {
  const { page, complaints } = await open(`${small.dashboard.url}?source=queue&cluster=us-prod`);
  await page.getByRole("link", { name: "About queue" }).click();
  await page.getByRole("heading", { level: 1, name: /^queue ?prometheus$/ }).waitFor();
  await page.getByRole("img", { name: /^queue: [\d.]+ to [\d.]+$/ }).waitFor();
  const moment = page.getByRole("slider", { name: /^(Moment|\d)/ });
  await moment.focus();
  expect(await moment.getAttribute("aria-valuetext")).toMatch(/^12:00:\d\d: \d+/);
  const errors = page.getByRole("region", { name: "Errors" });
  expect(await errors.textContent()).toMatch(/\d HPAs? .*no answer from prometheus\.example:9090/);
  const readers = page.getByRole("region", { name: "Readers" });
  expect(await readers.getByRole("row").nth(1).textContent()).toMatch(/failing.*no answer from prometheus/);
  await expectAccessible(page);
  await page.getByRole("button", { name: "1d" }).click();
  await page.waitForURL(/range=1d/);
  await page.getByText(/^28 Feb 12:00:10 to 12:00:10$/).waitFor();
  await readers.getByRole("link", { name: "webhooks" }).first().click();
  await page.getByText("Events of the last hour").waitFor();
  expect(complaints).toEqual([]);
});

test("a button copies the command that says the same, of now and of another time", async () => {
  const permissions = ["clipboard-read", "clipboard-write"];
  const { page } = await open(`${small.dashboard.url}?hpa=us-prod/billing/webhooks`, { permissions });
  const copied = async () => {
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    return page.evaluate<string>(`navigator.clipboard.readText()`);
  };
  expect(await copied()).toBe("ebb explain hpa webhooks -n billing --cluster us-prod");
  await page.getByLabel("How was it at").fill("2026-03-01T12:00:05Z");
  await page.keyboard.press("Enter");
  expect(await copied()).toBe("ebb explain hpa webhooks --at 2026-03-01T12:00:05Z -n billing --cluster us-prod");
});

test("a table without HPAs says how to add one, and offers nothing to filter", async () => {
  const empty = await serve([]);
  const { page, complaints } = await open(empty.dashboard.url);
  await page.getByText("The table has no HPA yet.", { exact: false }).waitFor();
  await page.getByText("read a moment ago").waitFor();
  expect(await page.getByRole("searchbox").isVisible()).toBe(false);
  await expectAccessible(page);
  expect(complaints).toEqual([]);
});

test("on a phone, a row says what holds it, and each filter has room for its words", async () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const { page } = await open(`${small.dashboard.url}?state=held`, phone);
  await rowsIn(page).first().getByText("stabilization window", { exact: false }).waitFor();
  for (const label of ["Cluster", "Namespace", "Source"])
    expect((await page.getByLabel(label, { exact: true }).boundingBox())?.width).toBeGreaterThan(150);
});

test("busy pods that are spared: the hold, its shade, the condition, and that a StatefulSet ignores costs", async () => {
  const { page } = await open(`${small.dashboard.url}?q=worker`);
  expect(await rowsIn(page).first().textContent()).toMatch(/^held.*busy pods/);
  await rowsIn(page).first().getByRole("link").click();
  const decision = page.getByRole("region", { name: "The decision" });
  await decision.getByText(/^at 8 for busy pods: 8 of 8 pods are busy/).waitFor();
  await decision.getByText(/^ebb.dev\/busy may not choose which pods go: a StatefulSet removes its highest/).waitFor();
  await page
    .locator(".hold-band")
    .filter({ hasText: /^busy pods/ })
    .waitFor();
  await page.getByText("Entry and status").click();
  await page.getByText(/reason: SparedBusy/).waitFor();
  await expectAccessible(page);
});

test.each<[string, BrowserContextOptions]>([
  ["in the dark", { colorScheme: "dark" }],
  ["on a phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
])("%s, axe finds nothing, and nothing is wider than the screen", async (_, options) => {
  for (const query of [
    "",
    "?hpa=eu-prod/billing/orders",
    "?hpa=us-prod/billing/webhooks&range=1d",
    "?open-source=eu-prod/queue",
    "?state=paused&q=nobody",
  ]) {
    const { page, complaints } = await open(`${small.dashboard.url}${query}`, options);
    await page
      .getByText(/Decisions|HPAs scale on it|No HPA matches|46 HPAs/)
      .first()
      .waitFor();
    await expectAccessible(page);
    expect(await page.evaluate<boolean>(fits)).toBe(true);
    expect(complaints).toEqual([]);
    // A dashboard has a limit of open pages.
    await page.context().close();
  }
});

/** The oldest Node that ebb runs on, where this one is, and Lambda's. */
const nodes = new Map([
  [functionsNode(), "Lambda's Node"],
  [process.execPath, "this Node"],
]);

describe.each([...nodes].map(([node, name]) => [name, node] as const))("of ebb start on %s", (_, node) => {
  const directory = mkdtempSync(join(tmpdir(), "ebb-e2e-dashboard-"));
  let run: LocalRun;

  beforeAll(async () => {
    run = await startLocalRun(directory, node);
    ending.push(() => rmSync(directory, { recursive: true, force: true }));
    ending.push(() => run.child.kill("SIGKILL"));
  });

  test("the demo's page changes within a slot, without a reload, and says when the demo has ended", async () => {
    const line = await eventually("the page's address", () => {
      const found = run.lines.find((text) => text.startsWith("Dashboard: "));
      if (found === undefined) throw new Error(run.lines.join("\n"));
      return found;
    });
    const context = await browser.newContext();
    ending.push(() => context.close());
    const page = await context.newPage();
    await page.goto(line.slice("Dashboard: ".length));
    await page.getByText("4 HPAs", { exact: true }).waitFor();
    await page.evaluate(`void (globalThis.isSamePage = true)`);
    const sizes = () => page.locator(".count").allTextContents();
    const before = await sizes();
    await eventually("a size changes", async () => expect(await sizes()).not.toEqual(before), 120_000);
    expect(await page.evaluate<boolean>(`globalThis.isSamePage === true`)).toBe(true);
    run.child.kill("SIGINT");
    expect(await Promise.race([run.ended, once(run.child, "exit")])).toEqual([0, null]);
    await page
      .getByRole("alert")
      .getByText(/does not answer/)
      .waitFor();
    expect(await rowsIn(page).count()).toBe(4);
  });
});
