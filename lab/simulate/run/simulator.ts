/** Simulates runs by their seeds. A run of one stage starts where a run without faults has ended. */
import { RunDatabase } from "../world/run-database.ts";
import type { Agent } from "./agent.ts";
import { PLAIN_BEHAVIOR } from "./behavior.ts";
import { isFresh } from "./chain-runs.ts";
import { createFixtures, type Fixtures } from "./fixtures.ts";
import type { InitialState } from "./initial-state.ts";
import { toFirstSeed, toKind, toStage } from "./kinds.ts";
import { type RunOptions, type RunResult, simulateRun } from "./run.ts";
import { PREVIOUS, type Stage } from "./stages.ts";
import type { World } from "./world.ts";

/** The state that a run left for the next one, or its result if it broke an invariant. */
type Ending = InitialState | RunResult;

const isBroken = (ending: Ending): ending is RunResult => "violation" in ending;

/** Whether the contract would pay because the cooldown is over. */
function isPayable({ chain, fixtures }: World): boolean {
  const { state, time } = chain.head;
  const wallet = fixtures.wallets[0]!.address.toLowerCase();
  return fixtures.contracts.explainPayout(state, wallet, BigInt(time)).reasons === 0n;
}

const toInitialState = (world: World, [agent]: readonly Agent[]): InitialState => ({
  database: new RunDatabase(world.disk.database.save()),
  chain: { blocks: world.chain.blocks },
  startMs: world.initialState.startMs + Math.ceil(world.loop.nowMs),
  memory: agent!.memory,
  known: world.observations.known,
});

export class Simulator {
  readonly #fixtures: Fixtures;
  readonly #endings = new Map<Stage, Promise<Ending>>();

  private constructor(fixtures: Fixtures) {
    this.#fixtures = fixtures;
  }

  static async create(): Promise<Simulator> {
    return new Simulator(await createFixtures());
  }

  async run(options: RunOptions): Promise<RunResult> {
    const stage = toStage(options.seed);
    const ofChain = toKind(options.seed).name === "chain" && !isFresh(options.seed) ? "payout" : null;
    const initialState = await this.#findInitialState(stage === null ? ofChain : PREVIOUS[stage]);
    if (isBroken(initialState)) return { ...initialState, seed: options.seed };
    return await simulateRun(options, { fixtures: this.#fixtures, initialState });
  }

  /** `previous`: the completed stage, or null. */
  async #findInitialState(previous: Stage | null): Promise<Ending> {
    if (previous === null) return this.#fixtures.initialState;
    const ending = this.#endings.get(previous) ?? this.#createEnding(previous);
    this.#endings.set(previous, ending);
    return await ending;
  }

  /** Simulates the stage without faults. */
  async #createEnding(stage: Stage): Promise<Ending> {
    const initialState = await this.#findInitialState(PREVIOUS[stage]);
    if (isBroken(initialState)) return initialState;
    const database = initialState.database.fork();
    let ending: InitialState | null = null;
    const result = await simulateRun(
      { seed: toFirstSeed(stage), plan: [], behavior: PLAIN_BEHAVIOR, backends: 1 },
      {
        ...{ fixtures: this.#fixtures, initialState: { ...initialState, database } },
        // A mint and a payout must be possible immediately afterwards.
        mayEnd: (world) => stage !== "snapshot" || isPayable(world),
        onEnded: (world, agents) => {
          ending = toInitialState(world, agents);
        },
      },
    );
    database.close();
    return result.violation === null ? ending! : result;
  }
}
