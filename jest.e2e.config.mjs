import unit from "./jest.config.mjs";

// Real servers, one suite after another (--runInBand): two cores hold one Kubernetes API server well, and not three.
export default {
  ...unit,
  // Of concurrent tests, Jest has to follow each.
  setupFiles: unit.setupFiles.filter((file) => !file.endsWith("/plain-contexts.ts")),
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/e2e/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/"],
  testTimeout: 120_000,
  // Of the how-to pages, each with a demo of its own, which mostly waits for its next slot.
  maxConcurrency: 5,
};
