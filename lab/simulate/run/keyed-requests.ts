/**
 * A wallet's requests under an `Idempotency-Key`: repeated after a lost answer, also to another process, sent twice
 * simultaneously, and with another body. An answered key keeps its answer, and has one effect.
 */
import type { Address } from "viem";
import type { Answer, Input } from "../../../client/api.ts";
import type { Random } from "../../../testing/random.ts";
import { mark } from "./coverage.ts";
import { FIRST_TIME_CODES, KEY_KEPT_MS, toComparedText } from "./histories.ts";
import type { Login } from "./login.ts";
import { NoAnswer } from "./no-answer.ts";
import { Violation } from "./trace.ts";
import type { World } from "./world.ts";

type KeyedRoute = "sessions.start" | "rewards.payout";

/** The share of requests without an open key that get one. */
const KEYED = 0.7;
const SENT_TWICE = 0.2;
/** The share of answered requests that are repeated, with the same or another body. */
const REPEATED = 0.5;
/** How long a request without an answer may still be executed. */
const UNSURE_MS = 60_000;
/** An agent abandons a key after this many attempts. */
const ATTEMPTS_MAX = 4;
/** After these codes, another attempt under the same key may succeed. */
const PASSING_CODES: readonly (string | undefined)[] = [
  ...["IDEMPOTENCY_IN_PROGRESS", "CHAIN_UNAVAILABLE", "STORAGE_BUSY", "STORAGE_FULL", "TOKEN_INVALID", "TOKEN_EXPIRED"],
  // No answer.
  undefined,
];
/** SQL for the effects that requests had for a wallet. */
const EFFECTS: { readonly [name in KeyedRoute]: string } = {
  "sessions.start": "select session_id as id, 0 as hasFailed, 0 as isUnsent from sessions where wallet = ?",
  "rewards.payout":
    "select payout_id as id, status = 'failed' as hasFailed, transaction_id is null as isUnsent from payouts where wallet = ?",
};

interface Effect {
  readonly id: string;
  readonly hasFailed: number;
  readonly isUnsent: number;
}

interface OpenKey {
  readonly key: string;
  /** Sessions or payouts of the wallet before the first attempt; null if another request may still add one. */
  readonly before: ReadonlySet<string> | null;
  /** No process has seen a time before this one when it claimed the key, milliseconds since 1970. */
  readonly askedAtMs: number;
  attempts: number;
}

interface Answered {
  readonly body: string;
  readonly text: string;
  readonly askedAtMs: number;
}

export class KeyedRequests {
  readonly #world: World;
  readonly #wallet: Address;
  readonly #random: Random;
  readonly #login: Login;
  readonly #open = new Map<KeyedRoute, OpenKey>();
  readonly #answered = new Map<string, Answered>();
  /** The last time that a request had no answer, milliseconds of the run. */
  readonly #unansweredAtMs = new Map<KeyedRoute, number>();
  #keys = 0;

  constructor(world: World, wallet: Address, login: Login) {
    this.#world = world;
    this.#wallet = wallet;
    this.#random = world.randoms.behavior.fork();
    this.#login = login;
  }

  /** Like `Login.ask`. A request without an answer is repeated under its key the next time. */
  async ask<Name extends KeyedRoute>(
    name: Name,
    input: Input<Name>,
    onAnswer: (answer: Answer<Name>) => void,
  ): Promise<Answer<Name>> {
    const open = this.#open.get(name) ?? this.#draw(name);
    if (open === null) return await this.#askPlainly(name, input, onAnswer);
    open.attempts += 1;
    this.#open.set(name, open);
    const send = () => this.#send(name, input, open, onAnswer);
    const isTwice = this.#random.chance(SENT_TWICE);
    const [first] = await Promise.allSettled(isTwice ? [send(), send()] : [send()]);
    if (first!.status === "rejected") {
      const { code } = first!.reason as { readonly code?: string };
      const isNew = open.attempts === 1 && !isTwice;
      if (code === "IDEMPOTENCY_IN_PROGRESS" && isNew) this.#fail("a new key is not in progress", open.key);
      if (open.attempts === ATTEMPTS_MAX || !PASSING_CODES.includes(code)) this.#open.delete(name);
      throw first!.reason;
    }
    this.#open.delete(name);
    if (this.#random.chance(REPEATED)) await this.#repeat(name, input, open);
    return first!.value;
  }

  #askPlainly<Name extends KeyedRoute>(
    name: Name,
    input: Input<Name>,
    onAnswer: (answer: Answer<Name>) => void,
  ): Promise<Answer<Name>> {
    return this.#login.ask(name, input, { onAnswer }).catch((error: unknown) => {
      this.#noteError(name, error);
      throw error;
    });
  }

  #noteError(name: KeyedRoute, error: unknown): void {
    if (error instanceof NoAnswer) this.#unansweredAtMs.set(name, this.#world.loop.nowMs);
  }

  /** Call it when the next request has a different subject. */
  forget(name: KeyedRoute): void {
    this.#open.delete(name);
  }

  #draw(name: KeyedRoute): OpenKey | null {
    if (!this.#world.behavior.useKeys || !this.#random.chance(KEYED)) return null;
    this.#keys += 1;
    const unansweredAtMs = this.#unansweredAtMs.get(name) ?? Number.NEGATIVE_INFINITY;
    const isUnsure = this.#world.loop.nowMs - unansweredAtMs < UNSURE_MS;
    const before = isUnsure ? null : new Set(this.#listEffects(name).map(({ id }) => id));
    return { key: `${name}-${this.#keys}`, before, askedAtMs: this.#world.leastWallMs, attempts: 0 };
  }

  async #repeat<Name extends KeyedRoute>(name: Name, input: Input<Name>, open: OpenKey): Promise<void> {
    const body = this.#random.chance(0.5) ? { ...input, walletAddress: this.#wallet } : input;
    await this.#send(name, body, open, () => undefined).catch(() => undefined);
  }

  async #send<Name extends KeyedRoute>(
    name: Name,
    input: Input<Name>,
    open: OpenKey,
    onAnswer: (answer: Answer<Name>) => void,
  ): Promise<Answer<Name>> {
    const body = JSON.stringify(input);
    // A request that is sent before an answer is known may overlap with it.
    const known = this.#answered.get(open.key);
    const check = (answer: Answer<Name>): void => {
      onAnswer(answer);
      this.#checkAnswer(open, body, toComparedText(answer));
      this.#checkCount(name, open);
    };
    try {
      return await this.#login.ask(name, input, { idempotencyKey: open.key, onAnswer: check });
    } catch (error) {
      this.#noteError(name, error);
      if (known !== undefined) this.#checkRefusal(open.key, body, known, (error as { readonly code?: string }).code);
      this.#checkCount(name, open);
      throw error;
    }
  }

  /** Whether no process can have forgotten a key that was first used at this time. */
  #isKept(askedAtMs: number): boolean {
    return this.#world.wallMs < askedAtMs + KEY_KEPT_MS;
  }

  #checkAnswer({ key, askedAtMs }: OpenKey, body: string, text: string): void {
    const known = this.#answered.get(key);
    if (known === undefined) this.#answered.set(key, { body, text, askedAtMs });
    else if (!this.#isKept(askedAtMs)) return;
    else if (known.body !== body)
      this.#fail("another body under a key is refused", `${key}: ${body} after ${known.body}`);
    else if (known.text !== text) this.#fail("a key has one answer", `${key}: ${text} after ${known.text}`);
  }

  #checkRefusal(key: string, body: string, known: Answered, code: string | undefined): void {
    if (!this.#isKept(known.askedAtMs)) return;
    mark("check", known.body === body ? "a key has one answer" : "another body under a key is refused");
    if (known.body === body && (code === "IDEMPOTENCY_CONFLICT" || FIRST_TIME_CODES.includes(code)))
      this.#fail("a key has one answer", `${key}: ${code} after ${known.text}`);
    if (known.body !== body && FIRST_TIME_CODES.includes(code))
      this.#fail("another body under a key is refused", `${key}: by ${code}`);
  }

  /**
   * An earlier failed payout may be open again after a reorganization. One that was opened just before the earlier one
   * was paid will fail.
   */
  #checkCount(name: KeyedRoute, { key, before, askedAtMs }: OpenKey): void {
    if (before === null || !this.#isKept(askedAtMs)) return;
    mark("check", "a key has one effect");
    const { chain, fixtures } = this.#world;
    const { state, time } = chain.head;
    const willFail = fixtures.contracts.explainPayout(state, this.#wallet.toLowerCase(), BigInt(time)).reasons !== 0n;
    const effects = this.#listEffects(name).filter(
      ({ id, hasFailed, isUnsent }) => hasFailed === 0 && !(isUnsent === 1 && willFail) && !before.has(id),
    );
    if (effects.length > 1) this.#fail("a key has one effect", `${key}: ${effects.length}`);
  }

  #listEffects(name: KeyedRoute): readonly Effect[] {
    return this.#world.disk.database.prepare(EFFECTS[name]).all(this.#wallet) as readonly Effect[];
  }

  #fail(invariant: string, detail: string): void {
    this.#world.fail(new Violation(invariant, `${this.#wallet}: ${detail}`));
  }
}
