/** The last value of each field. */
const fields = [59, 23, 31, 12, 6];

/**
 * As KEDA's parser reads it (robfig/cron v3, parser.go): any white space between fields, `N/M` is from N to the end,
 * and a field with a full range in its list is not restricted.
 */
export function fromKedaCron(given: string | undefined): { readonly pattern?: string; readonly zone?: string } {
  if (given === undefined) return {};
  const [, zone, text = given] = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/s.exec(given) ?? [];
  const parts = text.trim().split(/\s+/);
  const pattern = parts.map((part, index) => fieldOf(part, fields[index])).join(" ");
  return { pattern, ...(zone !== undefined && { zone }) };
}

function fieldOf(field: string, last: number | undefined): string {
  const ranges = field.split(",").filter((range) => range !== "");
  if (ranges.some((range) => /^[*?](\/0*1)?$/.test(range))) return "*";
  return ranges
    .map((range) => {
      const [from = "", step, ...more] = range.split("/");
      if (step === undefined || more.length > 0 || last === undefined) return range;
      if (from === "?") return `*/${step}`;
      return from.includes("-") || from === "*" ? range : `${from}-${last}/${step}`;
    })
    .join(",");
}
