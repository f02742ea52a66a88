import unit from "./jest.config.mjs";

// Real servers, one suite after another (--runInBand): two cores hold one Kubernetes API server well, and not three.
export default {
  ...unit,
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/e2e/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/"],
  testTimeout: 120_000,
};
