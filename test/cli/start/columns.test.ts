import { terminalColumns } from "../../../cli/start/terminal";

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
