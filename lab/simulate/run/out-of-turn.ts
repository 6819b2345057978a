/** An agent's calls out of turn: too early, in parallel with the due one, or sent long after they were signed. */
import type { Address, Hex } from "viem";
import type { Random } from "../../../testing/random.ts";
import type { Refusal } from "./no-answer.ts";
import type { World } from "./world.ts";

const BEGUN = 0.4;
/** The share of signed calls that are not sent when due. */
const ABANDONED = 0.2;
/** The share of calls out of turn that were signed earlier. */
const SENT_LATE = 0.3;

interface Call {
  readonly to: Address;
  readonly data: Hex;
}

export type Action = () => Promise<void>;

export class OutOfTurn {
  readonly #world: World;
  readonly #wallet: Address;
  readonly #random: Random;
  /** Each call that the service has signed for the agent. */
  readonly #signed: Call[] = [];
  #isUnderWay = false;

  constructor(world: World, wallet: Address) {
    this.#world = world;
    this.#wallet = wallet;
    this.#random = world.randoms.turns.fork();
  }

  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** Sometimes starts one of the actions, without waiting for it. */
  begin(actions: readonly Action[], onError: (error: Refusal) => Promise<void>): void {
    if (this.#isUnderWay || this.#world.isQuiet || !this.#random.chance(BEGUN)) return;
    if (this.#signed.length > 0 && this.#random.chance(SENT_LATE)) {
      this.#send(this.#random.pick(this.#signed));
      return;
    }
    if (actions.length === 0) return;
    this.#isUnderWay = true;
    this.#world.note(`${this.#wallet} begins a call out of turn`);
    this.#begin(this.#random.pick(actions), onError);
  }

  #begin(action: Action, onError: (error: Refusal) => Promise<void>): void {
    action()
      .catch(onError)
      .finally(() => {
        this.#isUnderWay = false;
      });
  }

  /** Whether a signed call is not sent now; it may be sent later. */
  isAbandoned(call: Call): boolean {
    this.#signed.push(call);
    return !this.#world.isQuiet && this.#random.chance(ABANDONED);
  }

  #send({ to, data }: Call): void {
    this.#world.note(`${this.#wallet} sends a call again`);
    this.#world.chain.sendCall(this.#wallet, to, data);
  }
}
