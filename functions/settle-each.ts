/** Like Promise.allSettled over `items.map(work)`, in their order, with at most `limit` of them under way at a time. */
export async function settleEach<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const outcomes: PromiseSettledResult<R>[] = [];
  const queue = items.entries();
  async function next(): Promise<void> {
    for (const [index, item] of queue) {
      try {
        outcomes[index] = { status: "fulfilled", value: await work(item) };
      } catch (reason) {
        outcomes[index] = { status: "rejected", reason };
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, next));
  return outcomes;
}
