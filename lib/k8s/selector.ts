export { formatGoLabelSelector, formatSelector } from "./selector/convert-selector";
export { matches, selectsEverything } from "./selector/convert-selector";
export { parseSelector } from "./selector/parse-selector";
export { SelectorError } from "./selector/requirement";
export { selectorFrom } from "./selector/convert-selector";
export type { Selector } from "./selector/requirement";
