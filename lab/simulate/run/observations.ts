/** Records what was signed and acknowledged in a run, and checks invariants after each step. */
import { type Hex, hexToBigInt, parseTransaction } from "viem";
import { hashJson } from "../../../backend/adapters/signer/keccak.ts";
import type { TypedData } from "../../../domain/typed-data/messages.ts";
import type { Chain, ModelBlock } from "../chain/chain.ts";
import type { Disk } from "../world/disk.ts";
import { mark } from "./coverage.ts";
import { Violation } from "./trace.ts";

/** A row that an answer has acknowledged: `sql` must find it from now on. */
interface Acknowledgement {
  readonly what: string;
  readonly sql: string;
  readonly parameters: readonly (string | number)[];
  /** The service may remove the row from this time of the wall clock on, milliseconds since 1970. */
  readonly untilMs: number;
}

/** The fields of a message that identify its subject; the others are facts about it. */
const KEY_FIELDS: { readonly [type: string]: (message: TypedData["message"]) => readonly unknown[] } = {
  MintIdentity: ({ to, nonce, metadataDigest }) => [to, nonce, metadataDigest],
  MintGameNft: ({ wallet, agentId, score }) => [wallet, agentId, score],
  UpgradeGameNft: ({ wallet, agentId, score }) => [wallet, agentId, score],
  Snapshot: ({ wallet, gameSessionHash }) => [wallet, (gameSessionHash as string).slice(-16)],
};

/** A score that a block has added to a bank. */
interface Credit {
  /** Wallet and sequence. */
  readonly session: string;
  readonly wallet: string;
  readonly score: bigint;
}

const NO_CREDITS: readonly Credit[] = [];
/** Cached, since blocks never change and each new one needs the credits of all earlier ones. */
const creditsOfBlocks = new WeakMap<ModelBlock, readonly Credit[]>();

function listCredits(block: ModelBlock): readonly Credit[] {
  if (block.transactions.length === 0) return NO_CREDITS;
  const known = creditsOfBlocks.get(block);
  if (known !== undefined) return known;
  const snapshots = block.transactions.flatMap(({ events }) => events.filter(({ name }) => name === "ScoreSnapshot"));
  const credits = snapshots.map(({ topics, data }) => ({
    session: `${topics[1]} ${topics[3]!.slice(-16)}`,
    wallet: `0x${topics[1]!.slice(-40)}`,
    score: hexToBigInt(data.slice(0, 66) as Hex),
  }));
  creditsOfBlocks.set(block, credits);
  return credits;
}

interface ObservationsOptions {
  readonly disk: Disk;
  /** The latest time that a process of the run has seen. */
  readonly readWallMs: () => number;
  readonly fail: (violation: Violation) => void;
  readonly known: Known | null;
}

/** What was acknowledged and signed until a time. */
export interface Known {
  readonly acknowledged: ReadonlyMap<string, Acknowledgement>;
  readonly signed: ReadonlyMap<string, string>;
}

export class Observations {
  readonly #disk: Disk;
  readonly #readWallMs: () => number;
  readonly #fail: (violation: Violation) => void;
  readonly #signed: Map<string, string>;
  readonly #acknowledged: Map<string, Acknowledgement>;
  readonly #usedTokens = new Set<string>();
  /** The versions of transactions that were in the store when they were sent. */
  readonly #sent = new Set<Hex>();

  /** `known`: from the previous run. */
  constructor({ disk, readWallMs, fail, known }: ObservationsOptions) {
    this.#disk = disk;
    this.#readWallMs = readWallMs;
    this.#fail = fail;
    this.#acknowledged = new Map(known?.acknowledged);
    this.#signed = new Map(known?.signed);
  }

  get known(): Known {
    return { acknowledged: this.#acknowledged, signed: this.#signed };
  }

  /** A signature left the service; its record stays for good. */
  addSignature({ primaryType, domain, message }: TypedData): void {
    const { deadline: _, ...facts } = message;
    const { chainId, verifyingContract } = domain;
    const payloadHash = hashJson({ chainId, verifyingContract, primaryType, facts });
    this.acknowledge("signature", "select 1 from signings where payload_hash = ?", [payloadHash]);
    const key = JSON.stringify([primaryType, verifyingContract, KEY_FIELDS[primaryType]!(message)]);
    const text = JSON.stringify(facts);
    mark("check", "no signature for two facts under one key");
    const before = this.#signed.get(key);
    this.#signed.set(key, text);
    if (before !== undefined && before !== text)
      this.#fail(new Violation("no signature for two facts under one key", `${key}: ${before} and ${text}`));
  }

  /** An answer contained a row; the row must exist now, and as long as the service keeps such rows. */
  acknowledge(
    what: string,
    sql: string,
    parameters: readonly (string | number)[],
    untilMs = Number.POSITIVE_INFINITY,
  ): void {
    const acknowledgement = { what, sql, parameters, untilMs };
    this.#acknowledged.set(`${what} ${parameters.join()}`, acknowledgement);
    this.#check(acknowledgement);
  }

  use(kind: string, token: string): void {
    mark("check", "tokens work once");
    if (this.#usedTokens.has(`${kind} ${token}`)) this.#fail(new Violation("tokens work once", `${kind} ${token}`));
    this.#usedTokens.add(`${kind} ${token}`);
  }

  /**
   * The operator's transaction is sent to the node: its row must already be stored. False for a version of a fleet that
   * another backend has replaced between the read and the send.
   */
  checkSent(raw: Hex, { contracts }: Chain, isFleet: boolean): boolean {
    mark("check", "what is sent is in the store");
    if (this.#disk.database.prepare("select 1 from transactions where raw = ?").get(raw) !== undefined) {
      this.#sent.add(raw);
      return true;
    }
    const { to, data = "0x" } = parseTransaction(raw);
    // Empty transfers that fill a nonce gap have no row, since any other would do as well.
    if (to?.toLowerCase() === contracts.config.operator.toLowerCase() && data === "0x") return true;
    if (!isFleet || !this.#sent.has(raw)) this.#fail(new Violation("what is sent is in the store", raw));
    return false;
  }

  checkAcknowledged(): void {
    for (const acknowledgement of this.#acknowledged.values()) this.#check(acknowledgement);
  }

  /** Each (wallet, sequence) counts once, and all credits are in the bank or paid. */
  checkChain({ blocks }: Chain): void {
    const seen = new Set<string>();
    const credited = new Map<string, bigint>();
    for (const block of blocks)
      for (const { session, wallet, score } of listCredits(block)) {
        mark("check", "each sequence is credited once");
        if (seen.has(session)) this.#fail(new Violation("each sequence is credited once", session));
        seen.add(session);
        credited.set(wallet, (credited.get(wallet) ?? 0n) + score);
      }
    const { state } = blocks.at(-1)!;
    for (const [wallet, sum] of credited) {
      mark("check", "paid and bank are what was accepted");
      const bank = state.accounts.get(wallet)?.scorebank ?? 0n;
      const paid = state.paid.get(wallet) ?? 0n;
      if (bank + paid !== sum)
        this.#fail(new Violation("paid and bank are what was accepted", `${wallet}: ${bank} + ${paid} of ${sum}`));
    }
  }

  #check({ what, sql, parameters, untilMs }: Acknowledgement): void {
    if (this.#readWallMs() >= untilMs) return;
    mark("check", "what was acknowledged is in the store");
    if (this.#disk.database.prepare(sql).get(...parameters) === undefined)
      this.#fail(new Violation("what was acknowledged is in the store", `${what} ${parameters.join(" ")}`));
  }
}
