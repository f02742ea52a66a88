/** For effects that follow a write within moments: an index of a table, a cache of an API server. */
export async function eventually(assertion: () => Promise<void>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await assertion();
      return;
    } catch (error) {
      if (attempt === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
