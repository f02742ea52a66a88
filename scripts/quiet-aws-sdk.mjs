// On Node 20, which ebb supports, the AWS SDK warns at each load that versions to come will not run there. Nobody who
// runs a script can act on it. This is the SDK's own switch; processes that a script starts inherit it. cli/ebb.ts has
// the same for users.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
