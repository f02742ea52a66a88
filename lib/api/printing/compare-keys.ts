/** The order of a map's keys in Go's YAML: letters after all else, runs of digits by their value ("a2" before "a10"). Upstream: keyList.Less, sorter.go. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  return isLess(Array.from(a), Array.from(b)) ? -1 : 1;
}

function isLess(a: readonly string[], b: readonly string[]): boolean {
  const at = a.findIndex((character, index) => character !== b[index]);
  if (at === -1 || at >= b.length) return a.length < b.length;
  const [left = "", right = ""] = [a[at], b[at]];
  if (isLetter(left) && isLetter(right)) return codeOf(left) < codeOf(right);
  if (isLetter(left) || isLetter(right)) return isLetter(right);
  const [leftRun, rightRun] = [digitsFrom(a, at), digitsFrom(b, at)];
  // A zero within a number is not a leading one: "10" is more than "1".
  const within = (left === "0" || right === "0") && endsInNumber(a.slice(0, at)) ? "1" : "";
  const [leftValue, rightValue] = [leftRun, rightRun].map((run) => BigInt.asIntN(64, BigInt(within + run)));
  if (leftValue !== rightValue) return (leftValue ?? 0n) < (rightValue ?? 0n);
  if (leftRun.length !== rightRun.length) return leftRun.length < rightRun.length;
  return codeOf(left) < codeOf(right);
}

function isLetter(character: string): boolean {
  return /^\p{L}$/u.test(character);
}

function digitsFrom(characters: readonly string[], at: number): string {
  const end = characters.findIndex((character, index) => index >= at && !/^[0-9]$/.test(character));
  return characters.slice(at, end === -1 ? undefined : end).join("");
}

/** Whether the digits at the end are more than zeros. */
function endsInNumber(characters: readonly string[]): boolean {
  return /[1-9]0*$/.test(characters.join("")); // a later nonzero digit ends in zeros again
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
