import { type Scene, setScene } from "./advice/scene";
import { commandsIn, saidIn } from "./advice/situation";
import { situations } from "./advice/situations";
import { openWorld, type World } from "./advice/world";
import { eventually } from "./servers/eventually";

/**
 * Each line of advice that ebb prints, followed: a fault is made on a real API server or on the emulator of AWS, the
 * command prints the advice, its commands are typed as they are printed, and the fault is gone. That each row of the
 * table has a situation: test/cli/advice/situations.test.ts.
 */
jest.setTimeout(180_000);

describe("followed", () => {
  let world: World;
  let scene: Scene;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterEach(() => scene.end());
  afterAll(() => world.close());

  test.each(situations.map((one) => [`${one.row}${one.when === undefined ? "" : `: ${one.when}`}`, one] as const))(
    "%s",
    async (_, { row, make }) => {
      scene = await setScene(world);
      const { printing, follow = typeAll(scene), well = () => allIsWell(scene) } = await make(scene);
      const commands = new Set<string>();
      for (const command of printing) {
        const { text } = await scene.type(command);
        const said = saidIn(text, row);
        expect([command, text, said]).toEqual([command, text, expect.any(String)]);
        for (const one of commandsIn(said ?? "")) commands.add(one);
      }
      await follow([...commands]);
      // What the API server's authorizer and caches see follows a moment later.
      await eventually("the fault is gone", async () => {
        await scene.inTime();
        for (const command of printing) {
          const { text } = await scene.type(command);
          expect([command, text, saidIn(text, row)]).toEqual([command, text, undefined]);
        }
        await well();
      });
    },
  );
});

function typeAll({ typed }: Scene) {
  return async (commands: readonly string[]) => {
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) await typed(command);
  };
}

async function allIsWell({ type, ebb, cluster }: Scene): Promise<void> {
  const text = expect.stringMatching(/All is well\.\n$/) as string;
  expect(await type(ebb("doctor", cluster))).toEqual({ text, status: 0 });
}
