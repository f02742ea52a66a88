import { closeAfter, closeAll, closeOnFailure } from "../../lib/async/closing";

function recorder() {
  const calls: string[] = [];
  const close = (name: string) => () => void calls.push(name);
  const failing = (name: string) => () => {
    calls.push(name);
    throw new Error(`${name} failed`);
  };
  return { calls, close, failing };
}

test("everything is called, in order, and the first failure is reported", async () => {
  const { calls, close, failing } = recorder();
  const rejecting = () => Promise.resolve().then(failing("b"));
  await expect(closeAll([close("a"), rejecting, failing("c"), close("d")])).rejects.toThrow("b failed");
  expect(calls).toEqual(["a", "b", "c", "d"]);
});

test("after the work, the last opened is closed first, also after a close that fails", async () => {
  const { calls, close, failing } = recorder();
  const work = closeAfter((closing) => {
    closing.add(close("lock"));
    closing.add(failing("table"));
    closing.add(close("cluster"));
    return Promise.resolve("done");
  });
  await expect(work).rejects.toThrow("table failed");
  expect(calls).toEqual(["cluster", "table", "lock"]);
});

test("a failure of the work is the one to report, and closes what was opened until then", async () => {
  const { calls, close, failing } = recorder();
  const work = closeAfter((closing) => {
    closing.add(close("lock"));
    closing.add(failing("table"));
    return Promise.reject(new Error("no cluster"));
  });
  await expect(work).rejects.toThrow("no cluster");
  expect(calls).toEqual(["table", "lock"]);
});

test("what is opened stays open until its result closes it, once", async () => {
  const { calls, close } = recorder();
  const opened = await closeOnFailure((closing) => {
    closing.add(close("server"));
    return Promise.resolve(closing);
  });
  expect(calls).toEqual([]);
  await opened.close();
  await opened.close();
  expect(calls).toEqual(["server"]);
});

test("an opening that fails closes what it had opened", async () => {
  const { calls, close } = recorder();
  const opening = closeOnFailure((closing) => {
    closing.add(close("server"));
    return Promise.reject(new Error("the port is taken"));
  });
  await expect(opening).rejects.toThrow("the port is taken");
  expect(calls).toEqual(["server"]);
});
