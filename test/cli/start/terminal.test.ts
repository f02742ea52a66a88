import { ebbCommand, terminalColumns } from "../../../cli/set-up/start/terminal";

const { isTTY, columns } = process.stdout;
afterEach(() => Object.assign(process.stdout, { isTTY, columns }));

test.each([
  ["a terminal's own", true, 132, 132],
  ["100 for a terminal that does not know it", true, 0, 100],
  ["100 for a file or a pipe", false, undefined, 100],
])("the width is %s", (_name, isTTY, columns, expected) => {
  Object.assign(process.stdout, { isTTY, columns });
  expect(terminalColumns()).toBe(expected);
});

test.each([
  ["through npm start", { npm_lifecycle_event: "start" }, "npm run -s ebb --"],
  ["by its name", {}, "ebb"],
  ["by its name in another script of npm", { npm_lifecycle_event: "demo" }, "ebb"],
])("started %s, the command is called as the user can type it", (_name, env, expected) => {
  expect(ebbCommand(env)).toBe(expected);
});
