import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { installedProgram } from "../e2e/servers/installed";
import { fleetOf, type Recorded } from "./recorded-fleet";
import { recordedNow, serveRecorded } from "./serve-recorded";

interface Picture {
  readonly fleet: () => readonly Recorded[];
  readonly minutes: number;
  readonly query: string;
  readonly options?: BrowserContextOptions;
  readonly act?: (page: Page) => Promise<void>;
  readonly isFails?: boolean;
}

const small = () => fleetOf(60, ["eu-prod", "us-prod"]);
const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const long: BrowserContextOptions = { ...phone, viewport: { width: 390, height: 1900 } };
const dark: BrowserContextOptions = { colorScheme: "dark" };
const held = "?hpa=us-prod/billing/webhooks";

/** The first three are in the README. */
export const pictures: Readonly<Record<string, Picture>> = {
  fleet: { fleet: small, minutes: 1_440, query: "" },
  hpa: { fleet: small, minutes: 1_440, query: `${held}&range=6h` },
  "hpa-dark": { fleet: small, minutes: 1_440, query: `${held}&range=6h`, options: dark },
};

/** For a look: `node scripts/pictures.mjs /tmp/looks fleet-dark …`. */
const looks: Readonly<Record<string, Picture>> = {
  "fleet-dark": { fleet: small, minutes: 1_440, query: "", options: dark },
  "fleet-phone": { fleet: small, minutes: 1_440, query: "", options: phone },
  "fleet-empty": { fleet: () => [], minutes: 0, query: "" },
  "fleet-10000": { fleet: () => fleetOf(10_000, ["eu-prod", "us-prod"]), minutes: 180, query: "" },
  "fleet-broken": { fleet: small, minutes: 180, query: "", isFails: true },
  "hpa-phone": { fleet: small, minutes: 1_440, query: `${held}&range=6h`, options: long },
  "hpa-day": { fleet: small, minutes: 1_440, query: `${held}&range=1d` },
  "hpa-hour": { fleet: small, minutes: 1_440, query: held },
  "hpa-then": { fleet: small, minutes: 1_440, query: `${held}&at=2026-03-01T12:00:05Z` },
  "hpa-dry": { fleet: small, minutes: 1_440, query: "?hpa=eu-prod/checkout/webhooks&range=6h" },
  source: { fleet: small, minutes: 1_440, query: "?open-source=eu-prod/queue" },
  "source-failing": { fleet: small, minutes: 1_440, query: "?open-source=us-prod/queue&range=6h" },
  "source-phone": { fleet: small, minutes: 1_440, query: "?open-source=us-prod/queue&range=6h", options: long },
  "source-phone-dark": {
    ...{ fleet: small, minutes: 1_440, query: "?open-source=us-prod/queue&range=6h" },
    options: { ...phone, ...dark },
  },
  "fleet-phone-dark": { fleet: small, minutes: 1_440, query: "?state=held", options: { ...phone, ...dark } },
};

interface Drawing {
  readonly root: string;
  readonly folder: string;
  /** Empty: those of the README. */
  readonly names: readonly string[];
}

export async function drawPictures({ root, folder, names }: Drawing): Promise<void> {
  const browser = await chromium.launch({
    executablePath: installedProgram("chromium"),
    args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"],
  });
  await mkdir(folder, { recursive: true });
  for (const name of names.length === 0 ? Object.keys(pictures) : names) {
    const picture = { ...pictures, ...looks }[name];
    if (picture === undefined)
      throw new Error(`expected a picture, one of ${Object.keys({ ...pictures, ...looks }).join(", ")}: got ${name}`);
    const { fleet, minutes, query, options, act, isFails = false } = picture;
    let passes = 0;
    const dashboard = await serveRecorded(fleet(), {
      ...{ minutes, root },
      store: (real) => ({
        ...real,
        shards: (signal) => {
          passes += 1;
          return isFails && passes > 1
            ? Promise.reject(new Error("the table throttles: ThrottlingException"))
            : real.shards(signal);
        },
      }),
    });
    const context = await browser.newContext({
      ...{
        viewport: { width: 1180, height: query.includes("hpa") ? 700 : 560 },
        timezoneId: "UTC",
        reducedMotion: "reduce",
      },
      ...options,
    });
    const page = await context.newPage();
    await page.clock.setFixedTime(recordedNow);
    await page.goto(`${dashboard.url}${query}`);
    await page
      .getByText(/Decisions|\d HPAs|no HPA yet|scale on it/)
      .first()
      .waitFor();
    if (isFails) await page.getByRole("alert").waitFor();
    if (query.includes("?hpa")) await page.getByText("As a table").waitFor();
    if (query.includes("?open-source")) await page.getByRole("slider").waitFor();
    await act?.(page);
    await writeFile(join(folder, `${name}.png`), await page.screenshot());
    await context.close();
    await dashboard.close();
  }
  await browser.close();
}
