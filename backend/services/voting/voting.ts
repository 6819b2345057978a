import { randomBytes } from "node:crypto";
import type { Address, Hex } from "viem";
import { hashTypedData, type TypedDataDefinition } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { toIso } from "../../../domain/time.ts";
import type { TypedData } from "../../../domain/typed-data/messages.ts";
import { createBallot, formatBallot, parseBallot, VOTING_TIMES, type VoteSource } from "../../../domain/voting.ts";
import type { ChainReader } from "../../ports/chain.ts";
import type { AuthStore, NonceRow } from "../../ports/store/auth.ts";
import type { CycleRow, VotingStore } from "../../ports/store/voting.ts";
import type { Clock, Worker } from "../../ports/system.ts";
import { listTypedDataMistakes, type ProvenSignature, proveSignature } from "../auth/wallet-signature.ts";
import { type Candidacy, type Candidates, toCounts } from "./candidates.ts";
import type { VoterEligibility } from "./voter-eligibility.ts";

interface VotingPorts {
  readonly store: Pick<VotingStore, "castVote" | "countVotes">;
  readonly nonces: Pick<AuthStore, "addNonce" | "findNonce" | "consumeNonce">;
  readonly chain: Pick<ChainReader, "deployment" | "hasCode" | "isValidSignature">;
  readonly worker: Pick<Worker, "recoverTypedData" | "recoverDigest">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly candidates: Candidates;
  readonly eligibility: Pick<VoterEligibility, "requireVoter">;
  readonly allowErc1271: boolean;
}

export interface BallotRequest {
  readonly walletAddress: Address;
  readonly gameSlug: string;
  readonly voteSource: VoteSource;
}

export interface SignedBallot extends BallotRequest {
  readonly nonce: string;
  readonly signature: Hex;
}

const createNonceUsedError = (): ArcadeError =>
  new ArcadeError("NONCE_USED", "The nonce was used before; request a new one at voting/nonce.");

/** Community voting: nonces and signed ballots. */
export class Voting {
  readonly #ports: VotingPorts;

  constructor(ports: VotingPorts) {
    this.#ports = ports;
  }

  /** A nonce for one use, and the complete ballot to sign. */
  async createNonce({ walletAddress, gameSlug, voteSource }: BallotRequest) {
    const { nonces, clock, chain } = this.#ports;
    const { cycle } = await this.#requireOpen(gameSlug);
    const nowMs = clock.nowMs();
    const expiresAtMs = nowMs + VOTING_TIMES.nonceTtlSeconds * 1000;
    const nonce = randomBytes(16).toString("hex");
    const message = { walletAddress, gameSlug, voteSource, nonce, cycleId: String(cycle.id) };
    await nonces.addNonce({
      nonce,
      purpose: "vote",
      wallet: walletAddress,
      slug: gameSlug,
      message: formatBallot(message),
      issuedAtMs: nowMs,
      expiresAtMs,
      usedAtMs: null,
    });
    return { nonce, typedData: createBallot(chain.deployment.chainId, message), expiresAt: toIso(expiresAtMs) };
  }

  /** Checks a signed ballot and counts it: one per wallet and game. */
  async vote(request: SignedBallot) {
    const { store, chain, clock, candidates } = this.#ports;
    const { walletAddress: wallet, gameSlug, voteSource, nonce } = request;
    const { cycle } = await candidates.find(gameSlug);
    const message = parseBallot((await this.#findNonce(request)).message);
    const { proof, signature, agentId } = await this.#consumeNonceOnRejection(nonce, async () => {
      const ballot = createBallot(chain.deployment.chainId, message);
      return this.#checkVoter(request, ballot, cycle);
    });
    const outcome = await store.castVote({
      gameSlug,
      wallet,
      cycleId: Number(message.cycleId),
      voteSource,
      agentId,
      nonce,
      proof,
      signature,
      castAtMs: clock.nowMs(),
    });
    if (outcome === "nonce_used") throw createNonceUsedError();
    if (outcome === "closed") throw this.#createClosedError(gameSlug, cycle);
    if (outcome === "already_voted") {
      const message = `${wallet} has voted for ${gameSlug} already; every wallet has one vote per game.`;
      throw new ArcadeError("ALREADY_VOTED", message);
    }
    const [tally] = await store.countVotes([gameSlug]);
    return { recorded: true as const, ...toCounts(tally!) };
  }

  /** The candidate with its open cycle. Throws `GAME_NOT_FOUND` or `VOTING_CLOSED`. */
  async #requireOpen(gameSlug: string): Promise<Candidacy> {
    const { candidates } = this.#ports;
    const found = await candidates.find(gameSlug);
    if (candidates.isOpen(found.cycle)) return found;
    throw this.#createClosedError(gameSlug, found.cycle);
  }

  #createClosedError(gameSlug: string, cycle: CycleRow): ArcadeError {
    const message = `Voting for ${gameSlug} has ended; its ballots are at /api/voting/ballots.`;
    return new ArcadeError("VOTING_CLOSED", message, { cycle: this.#ports.candidates.toCycleView(cycle) });
  }

  /** Finds the nonce that was issued for exactly this ballot. Throws if it is used or expired. */
  async #findNonce({ walletAddress, gameSlug, voteSource, nonce }: SignedBallot): Promise<NonceRow> {
    const { nonces, clock } = this.#ports;
    const row = await nonces.findNonce(nonce);
    const isIssued =
      row !== null &&
      row.purpose === "vote" &&
      row.wallet === walletAddress &&
      row.slug === gameSlug &&
      parseBallot(row.message).voteSource === voteSource;
    if (!isIssued) {
      const message = `Expected a nonce that this service gave to ${walletAddress} for an ${voteSource} vote on ${gameSlug}; request one at voting/nonce.`;
      throw new ArcadeError("NONCE_INVALID", message);
    }
    if (row.usedAtMs !== null) throw createNonceUsedError();
    if (row.expiresAtMs > clock.nowMs()) return row;
    const message = `The nonce expired at ${toIso(row.expiresAtMs)}; request a new one at voting/nonce.`;
    throw new ArcadeError("NONCE_EXPIRED", message);
  }

  /** Runs a check. A final rejection uses up the nonce; if chain or store did not answer, it stays valid. */
  async #consumeNonceOnRejection<T>(nonce: string, check: () => Promise<T>): Promise<T> {
    const { nonces, clock } = this.#ports;
    try {
      return await check();
    } catch (error) {
      const isFinal = error instanceof ArcadeError && !error.retryable;
      if (isFinal && !(await nonces.consumeNonce(nonce, clock.nowMs()))) throw createNonceUsedError();
      throw error;
    }
  }

  async #checkVoter(
    { walletAddress: wallet, gameSlug, voteSource, signature }: SignedBallot,
    ballot: TypedData,
    cycle: CycleRow,
  ) {
    const proven = await this.#checkSignature(wallet, ballot, signature);
    await this.#requireOpen(gameSlug);
    const agentId = voteSource === "ai_agent" ? await this.#ports.eligibility.requireVoter(wallet, cycle) : null;
    return { ...proven, agentId };
  }

  async #checkSignature(wallet: Address, ballot: TypedData, signature: Hex): Promise<ProvenSignature> {
    // Numbers are decimal strings here and bigints in viem's types; viem's encoder accepts both.
    const getDigest = () => hashTypedData(ballot as unknown as TypedDataDefinition);
    return proveSignature(this.#ports, {
      wallet,
      signature,
      recovered: await this.#ports.worker.recoverTypedData(ballot, signature),
      getDigest,
      listMistakes: () => listTypedDataMistakes(getDigest()),
      instruction: "sign typedData of voting/nonce unchanged (EIP-712)",
    });
  }
}
