/** What any test file takes to be loaded. */
const fixedMs = 20;
/** The nearest by their names judge, however long they take. */
const nearest = 3;
/** Run alone first: neighbours of a mutant are most often noticed by the same tests. */
const mostFirst = 5;

/**
 * Chooses which test files judge a mutant: those that `always` do, noticed most mutants of its module, or are near to
 * it by their names. A mutant that so many files, or files of so much CPU time, did not notice survives, however many
 * reach it.
 */
export function likelyTests({ mostFiles = Infinity, mostMs = Infinity, always = [] }) {
  /** By the mutated file: how many of its mutants each test file noticed, and which noticed the last. */
  const known = new Map();
  const of = (mutated) => known.get(mutated) ?? { counts: new Map(), tests: [] };

  return {
    /**
     * @param costs ms of CPU time, by test file
     * @returns first what notices most for the time it takes; before all others, what noticed the last mutant
     */
    choose(mutated, costs) {
      const { last, counts } = of(mutated);
      const wanted = namesOf(mutated);
      const sharedNames = (file) => namesOf(file).filter((name) => wanted.includes(name)).length;
      const likely = (file) =>
        always.includes(file) ? Number.MAX_SAFE_INTEGER : 10 * (counts.get(file) ?? 0) + sharedNames(file);
      const ms = (file) => fixedMs + costs.get(file);
      const perMs = (file) => (file === last ? Number.MAX_VALUE : likely(file) / ms(file));
      const near = [...costs.keys()].sort((a, b) => sharedNames(b) - sharedNames(a)).slice(0, nearest);
      const others = [...costs.keys()].filter((file) => !near.includes(file)).sort((a, b) => likely(b) - likely(a));
      let left = mostMs;
      return [...near, ...others]
        .slice(0, mostFiles)
        .filter((file, index) => {
          const isWithin = index < nearest || left >= ms(file);
          if (isWithin) left -= ms(file);
          return isWithin;
        })
        .sort((a, b) => perMs(b) - perMs(a));
    },

    /** @returns of these tests, the latest that noticed a mutant of the module */
    first: (mutated, tests) =>
      new Set(
        of(mutated)
          .tests.filter((test) => tests.has(test))
          .slice(0, mostFirst),
      ),

    noticed(mutated, file, test) {
      const { counts, tests } = of(mutated);
      counts.set(file, (counts.get(file) ?? 0) + 1);
      known.set(mutated, { last: file, counts, tests: [test, ...tests.filter((other) => other !== test)] });
    },
  };
}

function namesOf(file) {
  return file.split(/[/.-]/);
}
