// Runs the Serverless Framework: `npm run deploy` and `npm run remove`.
import "./quiet-aws-sdk.mjs";
import "osls/bin/serverless.js";
