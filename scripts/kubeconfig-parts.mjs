/**
 * What client-node's KubeConfig imports from its `gen/index.js`, without the 900 files of API types that it loads. ebb
 * reads kubeconfigs with it and talks to API servers by itself. In bundles (scripts/bundles.mjs) and tests.
 */
export { createConfiguration } from "@kubernetes/client-node/dist/gen/configuration.js";
export { ServerConfiguration } from "@kubernetes/client-node/dist/gen/servers.js";
