// Data alone: a bundle would have a second copy of code, and of its error classes.
export { default as openApi } from "./openapi.json";
export { default as protobuf } from "./protobuf.json";
