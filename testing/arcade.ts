/** A running stack, for other programs' tests. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Hex } from "viem";
import { generatePrivateKey } from "viem/accounts";
import type { DevelopmentAccount } from "../backend/config/dev-keys.ts";
import { type ArcadeClient, type EndMessage, type PlayBot, playSession } from "../client/index.ts";
import { LOCAL_CHAIN_ID } from "../domain/chain-ids.ts";
import { findGame } from "../games/index.ts";
import type { LocalChain } from "../local-chain/local-chain.ts";
import type { ArcadeClock } from "./clock.ts";
import { type ArcadeContracts, listContracts } from "./contracts.ts";
import { addEndedSession } from "./ended-session.ts";
import { requireInteger, TestingError } from "./errors.ts";
import { STORE } from "./images.ts";
import { connectPlayer, type Player } from "./player.ts";
import { Random } from "./random.ts";
import type { TestStack } from "./stack.ts";
import { STAGE_SLUG } from "./stages.ts";

export interface Arcade {
  readonly httpUrl: string;
  readonly wsUrl: string;
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly seed: number;
  /** Funded accounts, unlocked in the node. The first one is the stage's player. */
  readonly accounts: readonly DevelopmentAccount[];
  /** The typed client of the first account. */
  readonly client: ArcadeClient;
  /** Addresses and ABIs. */
  readonly contracts: ArcadeContracts;
  readonly clock: {
    nowMs(): number;
    /** Moves service and chain forward together, and mines a block. */
    advance(ms: number): Promise<void>;
  };
  readonly chain: {
    request(method: string, params?: readonly unknown[]): Promise<unknown>;
    mine(blocks?: number): Promise<void>;
    /** False: transactions wait for `mine`. */
    setAutomine(isOn: boolean): Promise<void>;
    /** Replaces the last blocks with others without the transactions of `lose`, or without all of them by default. */
    reorg(depth: number, options?: { readonly lose?: readonly Hex[] }): Promise<void>;
  };
  /** A player with one of the accounts, or with a new one that has ether. */
  connect(account?: DevelopmentAccount): Promise<Player>;
  /** Plays a ranked session with a bot, on the next course of the seed. By default a bot that plays well for 5 s. */
  play(options?: { readonly slug?: string; readonly bot?: PlayBot; readonly player?: Player }): Promise<EndMessage>;
  /** An ended ranked session whose score is the first at or above this one that the reference bot reaches. */
  endSession(options: { readonly score: number; readonly slug?: string; readonly wallet?: Hex }): Promise<EndedSession>;
  /** Saves chain, store and clock; returns the snapshot's id. */
  snapshot(): Promise<string>;
  /** Restores chain, store and clock. Later snapshots are forgotten. */
  restore(id: string): Promise<void>;
  /** Resets chain, store and clock to the stage. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export interface EndedSession {
  readonly slug: string;
  readonly sessionId: string;
  readonly score: number;
}

interface Snapshot {
  readonly chainId: string;
  readonly store: Buffer;
  readonly offsetMs: number;
  readonly sessions: number;
}

/** The player's part of the seed, fixed so that the seed decides the course. */
const ENTROPY = "0x00";
/** How long the quick bot plays well before it loses on purpose. */
const QUICK_MS = 5_000;

function createQuickBot(slug: string): PlayBot {
  const { bots } = findGame(slug)!;
  return (bots.quick?.(QUICK_MS) ?? bots.reference()) as PlayBot;
}

const ADVANCE_MAX_MS = 3_650 * 86_400_000;
/** The random values of a stack's sessions: always the same courses in the same order. */
export class Courses {
  readonly #seed: number;
  count = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  readonly draw = (): Buffer => {
    this.count += 1;
    return new Random(this.#seed * 2 ** 20 + this.count).bytes(32);
  };
}

interface Parts {
  readonly stack: TestStack;
  readonly clock: ArcadeClock;
  readonly courses: Courses;
  readonly seed: number;
  close(): Promise<void>;
}

export class RunningArcade implements Arcade {
  readonly #parts: Parts;
  readonly #snapshots = new Map<string, Snapshot>();
  readonly client: ArcadeClient;
  readonly contracts: ArcadeContracts;
  readonly clock: Arcade["clock"];
  readonly chain: Arcade["chain"];
  #credentials: ReturnType<ArcadeClient["signIn"]["credentials"]> = null;
  #nextSnapshot = 1;
  #closing: Promise<void> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { stack, clock } = parts;
    this.client = connectPlayer(this, this.accounts[0]!.privateKey, () => clock.nowMs()).client;
    this.contracts = listContracts(stack.deployment);
    this.chain = createChainControls(stack.chain);
    this.clock = {
      nowMs: () => clock.nowMs(),
      advance: async (ms) => {
        requireInteger("advance", ms, 0, ADVANCE_MAX_MS);
        clock.advance(ms);
        await stack.chain.request("evm_increaseTime", [Math.round(ms / 1_000)]);
        await stack.chain.request("evm_mine");
      },
    };
  }

  get httpUrl(): string {
    return this.#parts.stack.httpUrl;
  }
  get wsUrl(): string {
    return this.#parts.stack.app.wsUrl;
  }
  get rpcUrl(): string {
    return this.#parts.stack.chain.rpcUrl;
  }
  get chainId(): number {
    return LOCAL_CHAIN_ID;
  }
  get seed(): number {
    return this.#parts.seed;
  }
  get accounts(): readonly DevelopmentAccount[] {
    return this.#parts.stack.accounts;
  }

  async connect(account?: DevelopmentAccount): Promise<Player> {
    const { stack, clock } = this.#parts;
    const player = connectPlayer(this, account?.privateKey ?? generatePrivateKey(), () => clock.nowMs());
    if (account === undefined) await stack.chain.fund(player.address, 10n ** 18n);
    return player;
  }

  async play({ slug = STAGE_SLUG, bot, player }: Parameters<Arcade["play"]>[0] = {}): Promise<EndMessage> {
    const client = player?.client ?? this.client;
    const session = await client.sessions.start({ slug, source: "agent_api" });
    return playSession({ client, session, bot: bot ?? createQuickBot(slug), entropy: ENTROPY });
  }

  async endSession({ score, slug = STAGE_SLUG, wallet }: Parameters<Arcade["endSession"]>[0]): Promise<EndedSession> {
    const { stack, clock } = this.#parts;
    requireInteger("score", score, 0, 1_000_000);
    const row = await addEndedSession(stack, {
      wallet: wallet ?? this.accounts[0]!.address,
      slug,
      minScore: score,
      endedAtMs: clock.nowMs(),
    });
    return { slug, sessionId: row.sessionId, score: row.score };
  }

  /** The snapshot that `reset` restores. */
  async keepStage(): Promise<void> {
    this.#credentials = this.client.signIn.credentials();
    this.#snapshots.set("stage", await this.#take());
  }

  async snapshot(): Promise<string> {
    const id = `snapshot-${this.#nextSnapshot++}`;
    this.#snapshots.set(id, await this.#take());
    return id;
  }

  async #take(): Promise<Snapshot> {
    const { stack, clock, courses } = this.#parts;
    const chainId = String(await stack.chain.request("evm_snapshot"));
    const database = new Database(join(stack.dataDir, STORE), { readonly: true });
    const store = database.serialize();
    database.close();
    return { chainId, store, offsetMs: clock.offsetMs, sessions: courses.count };
  }

  async restore(id: string): Promise<void> {
    const snapshot = this.#snapshots.get(id);
    if (snapshot === undefined) {
      const known = [...this.#snapshots.keys()].join(", ");
      throw new TestingError("UNKNOWN_SNAPSHOT", `restore: expected ${known}; received ${JSON.stringify(id)}`);
    }
    const { stack, clock, courses } = this.#parts;
    await stack.restart(async () => {
      await stack.chain.request("evm_revert", [snapshot.chainId]);
      const path = join(stack.dataDir, STORE);
      await Promise.all([
        writeFile(path, snapshot.store),
        rm(`${path}-wal`, { force: true }),
        rm(`${path}-shm`, { force: true }),
      ]);
      clock.offsetMs = snapshot.offsetMs;
      courses.count = snapshot.sessions;
    });
    // Reverting makes the node forget this snapshot and all later ones.
    const names = [...this.#snapshots.keys()];
    for (const later of names.slice(names.indexOf(id) + 1)) this.#snapshots.delete(later);
    const chainId = String(await stack.chain.request("evm_snapshot"));
    this.#snapshots.set(id, { ...snapshot, chainId });
  }

  async reset(): Promise<void> {
    await this.restore("stage");
    if (this.#credentials !== null) this.client.signIn.restore(this.#credentials);
  }

  close(): Promise<void> {
    this.#closing ??= this.#parts.close();
    return this.#closing;
  }
}

function createChainControls({ request }: LocalChain): Arcade["chain"] {
  return {
    request: (method, params = []) => request(method, params),
    mine: async (blocks = 1) => void (await request("hardhat_mine", [`0x${blocks.toString(16)}`])),
    setAutomine: async (isOn) => void (await request("evm_setAutomine", [isOn])),
    reorg: async (depth, { lose } = {}) => void (await request("arcade_reorg", [depth, lose ?? null])),
  };
}
