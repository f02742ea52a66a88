import { searched, watchWrites } from "./watch-writes";

/** Runs before each test file. */
watchWrites(expect.getState().testPath ?? "a test");

/** Jest keeps what a test file prints until the file ends. */
afterAll(() => {
  const { getBuffer } = console as { getBuffer?: () => readonly { readonly message: string }[] | undefined };
  for (const { message } of getBuffer?.call(console) ?? []) searched("console", message);
});
