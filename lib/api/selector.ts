/** Label selectors: read from text or structure, matched, printed as upstream does. */
export { formatGoLabelSelector, formatSelector } from "./selector/format-selector";
export { matches, selectsEverything } from "./selector/matches";
export { parseSelector } from "./selector/parse-selector";
export { SelectorError } from "./selector/selector-error";
export { selectorFrom } from "./selector/selector-from";
export type { Selector } from "./selector/selector-type";
