import unit from "./jest.config.mjs";

// Real servers, one suite after another (--runInBand): two cores hold one Kubernetes API server well, and not three.
export default {
  ...unit,
  // Of concurrent tests, Jest has to follow each. The real servers have real time.
  setupFiles: unit.setupFiles.filter((file) => !/\/(plain-contexts|loop-time)\.ts$/.test(file)),
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/e2e/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/"],
  testTimeout: 120_000,
  // Of the how-to pages, each with a demo of its own, which mostly waits for its next slot.
  maxConcurrency: 5,
};
