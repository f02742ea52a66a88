import unit from "./jest.config.mjs";

// The simulator's own tests, and stories of single parts in virtual time: `npm run test:faults` begins with them.
export default {
  ...unit,
  testMatch: ["<rootDir>/test/faults/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/"],
};
