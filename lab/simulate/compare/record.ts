/** Records what the compiled contracts do in a random sequence of calls. */
import type { Hex } from "viem";
import { Random } from "../../../testing/random.ts";
import { CallDrawer, type Step } from "./draw-calls.ts";
import { listViews, type View } from "./draw-views.ts";
import type { Outcome, RealContracts } from "./real-contracts.ts";

interface ViewResult extends Pick<View, "name" | "to"> {
  readonly data: Hex;
  readonly result: Hex;
}

export interface RecordedStep extends Omit<Step, "onSuccess"> {
  readonly outcome: Outcome;
  readonly views: readonly ViewResult[];
}

export interface Recording {
  readonly seed: number;
  /** The rewards contract's float, in token base units. */
  readonly float: bigint;
  readonly steps: readonly RecordedStep[];
}

const STEPS = 70;
const VIEWS_PER_STEP = 10;
const FLOATS_POINTS = [1_000_000n, 1_000_000n, 700n, 250n];

export const recordSequence = (real: RealContracts, seed: number): Promise<Recording> =>
  real.runAndRevert(async () => {
    const random = new Random(seed);
    const { config } = real;
    const float = random.pick(FLOATS_POINTS) * config.limits.rate;
    await real.fund(float);
    // The block of the funding is one second after the last one.
    const drawer = new CallDrawer(random.fork(), config, real.startSeconds + 1);
    const { identity, score, nft } = config.signers;
    const others = [config.deployment.rewards, config.operator, identity, score, ...Object.values(nft)];
    const steps: RecordedStep[] = [];
    for (let index = 0; index < STEPS; index++) {
      const step = drawer.next();
      const outcome = await real.execute(step.message, step.seconds);
      if (outcome.revert === null) drawer.noteSuccess(step);
      const { identities, sessionHashes } = drawer;
      const addresses = [...drawer.wallets, ...others];
      const all = listViews(config.deployment, { addresses, identities, sessionHashes });
      const isLast = index === STEPS - 1;
      const chosen = isLast ? all : Array.from({ length: VIEWS_PER_STEP }, () => random.pick(all));
      const views: ViewResult[] = [];
      for (const { name, to, encode } of chosen) {
        const data = encode();
        views.push({ name, to, data, result: await real.read(to, data) });
      }
      const { what, message, seconds } = step;
      steps.push({ what, message, seconds, outcome, views });
    }
    return { seed, float, steps };
  });
