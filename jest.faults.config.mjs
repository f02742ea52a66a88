import unit from "./jest.config.mjs";

// The simulator's own tests, stories of single parts in virtual time, and processes with little memory that meet lies:
// `npm run test:faults` begins with them.
export default {
  ...unit,
  testMatch: ["<rootDir>/test/faults/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/"],
};
