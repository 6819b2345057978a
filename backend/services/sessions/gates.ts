import type { Address } from "viem";
import { ArcadeError, type ErrorCode } from "../../../domain/errors.ts";
import { checkNftGate, checkSnapshotGate, createStillSignedError, findPendingTier } from "../../../domain/gates.ts";
import { listScoreProblems } from "../../../domain/rewards.ts";
import type { ChainFacts, ChainIndex } from "../../ports/chain.ts";
import type { SessionRow, SessionStore } from "../../ports/store/sessions.ts";
import type { Clock, Log } from "../../ports/system.ts";
import { readScoreProblems } from "../chain-reads.ts";
import type { Nft } from "../nft/nft.ts";

interface GatePorts {
  readonly store: Pick<SessionStore, "listPending" | "find" | "forfeit" | "forfeitTier">;
  readonly facts: Pick<ChainFacts, "isSessionConsumed" | "getNextBlockTime">;
  readonly index: Pick<ChainIndex, "waitForNextPoll">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
  readonly nft: Pick<Nft, "getGateFacts">;
}

export interface GateRequest {
  readonly wallet: Address;
  readonly agentId: string;
  readonly slug: string;
  /** True: the wallet gives up the pending score or tier. */
  readonly forfeit: boolean;
}

const PENDING_MAX = 100;
const CLOSED_GATES: readonly ErrorCode[] = ["SNAPSHOT_REQUIRED", "NFT_MINT_REQUIRED"];

/** The gates that an agent passes before its next session of a game: snapshot, then NFT. */
export class Gates {
  readonly #ports: GatePorts;

  constructor(ports: GatePorts) {
    this.#ports = ports;
  }

  /**
   * Throws `SNAPSHOT_REQUIRED` or `NFT_MINT_REQUIRED`, unless the pending score or tier is given up. A score cannot be
   * given up while its signature is valid.
   */
  async pass(request: GateRequest): Promise<void> {
    const { index } = this.#ports;
    const passBoth = async (): Promise<void> => {
      await this.#passSnapshotGate(request);
      await this.#passNftGate(request);
    };
    // A score that is given up can no longer get on chain, so it must not be there already.
    if (request.forfeit) {
      await index.waitForNextPoll();
      return await passBoth();
    }
    try {
      await passBoth();
    } catch (error) {
      if (!(error instanceof ArcadeError && CLOSED_GATES.includes(error.code))) throw error;
      if (error.code === "SNAPSHOT_REQUIRED" && !(await this.#isAnySigned(request))) throw error;
      // A snapshot or mint that is in a block already may be one poll ahead of the indexer.
      await index.waitForNextPoll();
      await passBoth();
    }
  }

  /** False if no snapshot was signed: then none that the gate waits for can be in a block. */
  async #isAnySigned({ wallet, slug }: GateRequest): Promise<boolean> {
    const rows = await this.#ports.store.listPending(wallet, slug, PENDING_MAX);
    return rows.some(({ signedUntilSeconds }) => signedUntilSeconds !== null);
  }

  async #passSnapshotGate({ wallet, slug, forfeit }: GateRequest): Promise<void> {
    const { store, facts } = this.#ports;
    for (const row of await store.listPending(wallet, slug, PENDING_MAX)) {
      // A session that was cancelled on chain will never have a snapshot.
      if ((await readScoreProblems(facts, row)).length > 0) continue;
      if (!forfeit) checkSnapshotGate({ sessionId: row.sessionId, slug, score: row.score });
      await this.#forfeit(row);
    }
  }

  /** A signature that the contract still accepts would bring the score on chain although it was given up. */
  async #forfeit({ sessionId, signedUntilSeconds }: SessionRow): Promise<void> {
    const { store, facts, clock, log } = this.#ports;
    const signedBeforeSeconds = signedUntilSeconds === null ? 0 : facts.getNextBlockTime();
    if (await store.forfeit(sessionId, { atMs: clock.nowMs(), signedBeforeSeconds }))
      return log.info({ sessionId }, "score given up");
    const row = await store.find(sessionId);
    if (row !== null && listScoreProblems(row).length === 0) throw createStillSignedError(row);
  }

  async #passNftGate({ wallet, agentId, slug, forfeit }: GateRequest): Promise<void> {
    const { store, log, nft } = this.#ports;
    const facts = await nft.getGateFacts(wallet, agentId, slug);
    if (facts === null) return;
    if (!forfeit) checkNftGate(facts);
    const step = findPendingTier(facts);
    if (step !== null && (await store.forfeitTier(step.sessionId, step.tier))) log.info(step, "tier step given up");
  }
}
