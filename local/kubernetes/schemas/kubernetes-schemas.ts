/** What the bundle loads late: with the recorded schemas, a third of a megabyte. */
export { decodeProtobuf } from "./decode-protobuf";
export { builtInSchema, schemaOf, withKnownFields } from "./known-fields";
export { openApiDocument, openApiIndex, openApiV2 } from "./openapi";
