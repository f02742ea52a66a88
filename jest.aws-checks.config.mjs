import e2e from "./jest.e2e.config.mjs";

// ebb beside what AWS publishes and security teams scan with: botocore's models, CloudFormation's schemas, checkov.
// `npm run servers` installs them. No server runs, and nothing leaves the machine.
export default {
  ...e2e,
  testMatch: ["<rootDir>/test/aws-checks/**/*.test.ts"],
  globalSetup: "<rootDir>/test/aws-checks/package-variants.ts",
};
