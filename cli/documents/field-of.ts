const unknownField = /^strict decoding error: unknown field "(.*)"$/;
const leadingField = /^((?:[^\s:[\]]|\[[^\]]*\])+):/;

/** The path of the field that an error is about; "" for the document as a whole. */
export function fieldOf(error: string): string {
  const field = unknownField.exec(error)?.[1] ?? leadingField.exec(error)?.[1] ?? "";
  return field === "document" ? "" : field;
}
