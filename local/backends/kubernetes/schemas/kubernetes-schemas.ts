// Data alone: in a bundle, code here would be a second copy, with errors of classes that nobody else knows.
export { default as openApi } from "./openapi.json";
export { default as protobuf } from "./protobuf.json";
