import { isFault } from "../../lib/api/errors";
import type { StandingEntry } from "../../lib/table/entry-item";
import { objectName } from "../documents/format-objects";
import { failureText, isFailure } from "../failure";
import type { Target } from "../resources/parse-targets";
import type { Session } from "../session";
import { chooseEntries, type ChoiceOptions } from "./choose-entries";

interface Changing {
  readonly targets: readonly Target[];
  readonly options: ChoiceOptions;
  /** Changes one entry and gives what is printed after its name. */
  readonly change: (entry: StandingEntry) => Promise<string>;
}

/** Changes each of the entries; one that cannot be is told, and the others are. Gives the exit code. */
export async function changeEach(session: Session, { targets, options, change }: Changing): Promise<number> {
  const { out } = session;
  let code = 0;
  for (const target of targets) {
    const { entries, missing } = await out.during("reading the table", chooseEntries(session, target, options));
    for (const entry of entries) {
      const name = objectName(entry.ref);
      try {
        out.print(`${name} ${await out.during(`changing ${name}`, change(entry))}`);
      } catch (error) {
        if (!isFailure(error) && !isFault(error, "lost") && !isFault(error, "badEntry")) throw error;
        out.note(failureText(error));
        code = 1;
      }
    }
    for (const message of missing) out.note(message);
    if (missing.length > 0) code = 1;
  }
  return code;
}
