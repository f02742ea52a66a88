// A plugin of the framework, which loads it before it calls AWS. On Node 20, which ebb supports, the AWS SDK warns that
// versions to come will not run there. Nobody who deploys can act on it. This is the SDK's own switch.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";

module.exports = class QuietAwsSdk {};
