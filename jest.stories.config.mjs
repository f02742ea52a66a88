import unit from "./jest.config.mjs";

// Days and minutes of whole parts in virtual time, each of which takes seconds: `npm run test:faults` begins with them.
export default {
  ...unit,
  testMatch: ["<rootDir>/test/stories/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/"],
};
