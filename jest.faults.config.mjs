import unit from "./jest.config.mjs";

// The simulator's own tests, stories of single parts in virtual time, whole syncs that meet what goes wrong, and
// processes with little memory: `npm run test:faults` begins with them.
export default {
  ...unit,
  testMatch: ["<rootDir>/test/faults/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/"],
};
