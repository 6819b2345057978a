/** Runs lives by their seeds. What they share is made once: a life of a stage begins where one without faults has ended. */
import { LifeDatabase } from "../world/life-database.ts";
import type { Agent } from "./agent.ts";
import type { Beginning } from "./beginning.ts";
import { PLAIN_HABITS } from "./habits.ts";
import { toFirstSeed, toStage } from "./kinds.ts";
import { type LifeOptions, type LifeResult, runLife } from "./life.ts";
import { createScenery, type Scenery } from "./scenery.ts";
import { PREVIOUS, type Stage } from "./stages.ts";
import type { World } from "./world.ts";

/** What a life left, as the beginning of another one; a result if it broke an invariant. */
type Ending = Beginning | LifeResult;

const isBroken = (ending: Ending): ending is LifeResult => "violation" in ending;

/** The contract would pay: the cooldown is over. */
function isPayable({ chain, scenery }: World): boolean {
  const { state, time } = chain.head;
  const wallet = scenery.wallets[0]!.address.toLowerCase();
  return scenery.contracts.explainPayout(state, wallet, BigInt(time)).reasons === 0n;
}

const toBeginning = (world: World, [agent]: readonly Agent[]): Beginning => ({
  database: new LifeDatabase(world.disk.database.save()),
  chain: { blocks: world.chain.blocks },
  startMs: world.beginning.startMs + Math.ceil(world.loop.nowMs),
  memory: agent!.memory,
  known: world.observations.known,
});

export class Simulator {
  readonly #scenery: Scenery;
  readonly #endings = new Map<Stage, Promise<Ending>>();

  private constructor(scenery: Scenery) {
    this.#scenery = scenery;
  }

  static async create(): Promise<Simulator> {
    return new Simulator(await createScenery());
  }

  async run(options: LifeOptions): Promise<LifeResult> {
    const stage = toStage(options.seed);
    const beginning = await this.#findBeginning(stage === null ? null : PREVIOUS[stage]);
    if (isBroken(beginning)) return { ...beginning, seed: options.seed };
    return await runLife(options, { scenery: this.#scenery, beginning });
  }

  /** `previous`: the stage that is over; null: none. */
  async #findBeginning(previous: Stage | null): Promise<Ending> {
    if (previous === null) return this.#scenery.beginning;
    const ending = this.#endings.get(previous) ?? this.#createEnding(previous);
    this.#endings.set(previous, ending);
    return await ending;
  }

  /** Runs a life of the stage without faults. */
  async #createEnding(stage: Stage): Promise<Ending> {
    const beginning = await this.#findBeginning(PREVIOUS[stage]);
    if (isBroken(beginning)) return beginning;
    const database = beginning.database.fork();
    let ending: Beginning | null = null;
    const result = await runLife(
      { seed: toFirstSeed(stage), plan: [], habits: PLAIN_HABITS, backends: 1 },
      {
        ...{ scenery: this.#scenery, beginning: { ...beginning, database } },
        // A mint and a payout can follow at once.
        mayEnd: (world) => stage !== "snapshot" || isPayable(world),
        onEnded: (world, agents) => {
          ending = toBeginning(world, agents);
        },
      },
    );
    database.close();
    return result.violation === null ? ending! : result;
  }
}
