// Only the stage `prod` protects its table. A name that reads like it promises what it does not keep.
const likeProduction = new Set(["prod", "prd", "production", "live"]);
/** Before them: "pre-prod", "nonProd". */
const butNot = /^(pre|non|no|not|test|fake)$/;
const policies = ["Retain", "Delete"];

/** "euProd-2" → eu, prod */
const wordsOf = (/** @type {string} */ stage) =>
  stage
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");

/** @param {string} stage */
function isLikeProduction(stage) {
  const words = wordsOf(stage);
  return stage !== "prod" && words.some((word, at) => likeProduction.has(word) && !butNot.test(words[at - 1] ?? ""));
}

/**
 * What is wrong with deploying to this stage, if anything is.
 *
 * @param {{ stage: string, policy: unknown, isPolicyGiven: boolean }} deployment `isPolicyGiven`: for this stage, and
 * not by default
 * @returns {string | undefined}
 */
module.exports = function problemOfStage({ stage, policy, isPolicyGiven }) {
  if (!policies.includes(String(policy)))
    return `param tableDeletionPolicy: expected ${policies.join(" or ")}, got ${JSON.stringify(policy)}`;
  if (isPolicyGiven || !isLikeProduction(stage)) return undefined;
  return (
    `the stage ${stage} reads like production, and only the stage prod keeps its table when the stack is removed. ` +
    'Deploy with --stage prod, or say what happens to the table: --param="tableDeletionPolicy=Retain" ' +
    '--param="tableDeletionProtection=true" protects it, --param="tableDeletionPolicy=Delete" does not'
  );
};
