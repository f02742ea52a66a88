/** @jest-environment node */
import { mostRegions, perRegion } from "../../../lib/aws/sdk/bounded-answers";

test("each region has one of its own, opened with its first use", () => {
  const opened: string[] = [];
  const clientOf = perRegion((region) => ({ number: opened.push(region) }));
  expect(clientOf("eu-west-1")).toBe(clientOf("eu-west-1"));
  expect(clientOf()).toBe(clientOf(""));
  expect(opened).toEqual(["eu-west-1", ""]);
});

test("however many regions are named, one that is used again and again stays, and the others do not pile up", () => {
  const opened: string[] = [];
  const clientOf = perRegion((region) => ({ number: opened.push(region) }));
  const home = clientOf("eu-west-1");
  const named = Array.from({ length: 10 * mostRegions }, (_, number) => `xx-nowhere-${number}`);
  for (const region of named) {
    clientOf(region);
    expect(clientOf("eu-west-1")).toBe(home);
  }
  for (const region of named.slice(0, 5)) clientOf(region);
  expect(opened).toHaveLength(1 + named.length + 5);
});
