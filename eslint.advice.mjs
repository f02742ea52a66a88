/**
 * What ebb advises a person to do is a row of cli/shell/advice/table.ts, which a test follows. These selectors
 * find advice anywhere else: an order to the reader, or a command to type. test/lint/fixtures/imperative.ts shows both.
 */
const orders = [
  ...["add", "allow", "ask", "bind", "check", "choose", "create", "delete", "deploy", "edit", "find", "fix", "give"],
  ...["grant", "install", "let", "look", "make", "map", "put", "raise", "register", "remove", "renew", "restart"],
  ...["resume", "run", "scale", "see", "set", "start", "stop", "switch", "turn", "try", "use", "wake", "write"],
];
const verbs = [
  ...["annotate", "apply", "autoscale", "completion", "config", "cost", "create", "delete", "describe", "diff"],
  ...["doctor", "dry-run", "edit", "evaluate", "events", "explain", "get", "import", "init", "label", "patch", "pause"],
  ...["rbac", "read", "replace", "resume", "status", "validate", "version", "wait"],
];
const order = `(^|[;:→(] |, and |until you )(${orders.join("|")}) `;
const command = `(^|[\\s(\`])(ebb (${verbs.join("|")})|kubectl [a-z]+|aws [a-z0-9-]+ [a-z]+|npm (run|start))(?![a-z])`;
const anAdvice = `/${order}|${command.replaceAll("/", "\\/")}/`;

/** Help, and the refusal of a command line, which says how to call the command. */
const ofHelp = [
  "CallExpression[callee.name=/^(failure|serverFailure)$/] *",
  "CallExpression[callee.name='examples'] *",
  "CallExpression[callee.property.name=/^(description|summary|argument|option|addHelpText)$/] *",
  "CallExpression[callee.name=/^(tableVerb|fileCommand|metadataCommand)$/] > ObjectExpression > Property[key.name=/^(description|summary|arguments|examples)$/] *",
  "NewExpression[callee.name='Option'] *",
  "VariableDeclarator[id.name='notes'] *",
].join(", ");

const message = "Advice is a row of cli/shell/advice/table.ts, which test/e2e/advice follows.";

export const noLooseAdvice = [
  "error",
  { selector: `Literal[value=${anAdvice}]:not(ImportDeclaration *, ${ofHelp})`, message },
  { selector: `TemplateElement[value.cooked=${anAdvice}]:not(${ofHelp})`, message },
];
