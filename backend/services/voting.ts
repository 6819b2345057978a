import { randomBytes } from "node:crypto";
import { hashTypedData, type TypedDataDefinition } from "viem";
import { ArcadeError } from "../domain/errors.ts";
import { isoOf } from "../domain/time.ts";
import type { TypedData } from "../domain/typed-data.ts";
import {
  ballotText,
  isCycleOpen,
  makeBallot,
  readBallotText,
  VOTING_TIMES,
  type VoteSource,
} from "../domain/voting.ts";
import type {
  Address,
  AuthStore,
  CandidateRow,
  ChainReader,
  Clock,
  CycleRow,
  Hex,
  NonceRow,
  SessionRow,
  VotingStore,
  Worker,
} from "../ports.ts";
import { makeEligibility } from "./voting-eligibility.ts";
import { countsOf, makeVotingViews } from "./voting-views.ts";

export interface VotingPorts {
  readonly store: VotingStore;
  readonly nonces: Pick<AuthStore, "addNonce" | "findNonce" | "useNonce">;
  readonly chain: ChainReader;
  readonly worker: Pick<Worker, "recoverTypedData">;
  readonly clock: Clock;
  /** Derives an ended session's score again where that was not done yet. */
  readonly verify: (row: SessionRow) => Promise<SessionRow["verification"]>;
  /** Chain 31337: identities count as they are now, since a fresh chain has no past to speak of. */
  readonly isLocal: boolean;
  readonly allowErc1271: boolean;
}

export interface BallotRequest {
  readonly walletAddress: Address;
  readonly gameSlug: string;
  readonly voteSource: VoteSource;
}

export type Voting = ReturnType<typeof makeVoting>;

/** Community voting: what stands for election, signed ballots, and their public recount. */
export function makeVoting(ports: VotingPorts) {
  const { store, nonces, chain, worker, clock, allowErc1271 } = ports;
  const { chainId } = chain.deployment;
  const views = makeVotingViews(ports);
  const checkEligible = makeEligibility(ports);

  /** The candidate with its cycle, which must be open. */
  async function findOpen(gameSlug: string): Promise<{ readonly candidate: CandidateRow; readonly cycle: CycleRow }> {
    const { candidate, cycle } = await views.find(gameSlug);
    if (isCycleOpen(cycle, clock.nowMs())) return { candidate, cycle };
    throw closed(gameSlug, cycle);
  }

  const closed = (gameSlug: string, cycle: CycleRow): ArcadeError =>
    new ArcadeError("VOTING_CLOSED", `Voting for ${gameSlug} has ended; its ballots are at /api/voting/ballots.`, {
      cycle: views.cycleView(cycle),
    });

  const used = (): ArcadeError =>
    new ArcadeError("NONCE_USED", "The nonce was used before; ask a new one at voting/nonce.");

  /** The nonce as it was given for exactly this ballot, unused and in time. */
  async function findNonce(request: BallotRequest & { readonly nonce: string }): Promise<NonceRow> {
    const { walletAddress, gameSlug, voteSource, nonce } = request;
    const row = await nonces.findNonce(nonce);
    const given =
      row !== null &&
      row.purpose === "vote" &&
      row.wallet === walletAddress &&
      row.slug === gameSlug &&
      readBallotText(row.message).voteSource === voteSource;
    if (!given) {
      throw new ArcadeError(
        "NONCE_INVALID",
        `Expected a nonce that this service gave to ${walletAddress} for an ${voteSource} vote on ${gameSlug}; ask one at voting/nonce.`,
      );
    }
    if (row.usedAtMs !== null) throw used();
    if (row.expiresAtMs <= clock.nowMs())
      throw new ArcadeError(
        "NONCE_EXPIRED",
        `The nonce expired at ${isoOf(row.expiresAtMs)}; ask a new one at voting/nonce.`,
      );
    return row;
  }

  /** How the wallet proved itself: a plain key, or a contract (ERC-1271). Throws `SIGNATURE_INVALID`. */
  async function checkSignature(wallet: Address, ballot: TypedData, signature: Hex): Promise<"key" | "contract"> {
    const recovered = await worker.recoverTypedData(ballot, signature);
    if (recovered === wallet) return "key";
    if (allowErc1271 && (await chain.hasCode(wallet))) {
      // Numbers are decimal strings here and bigints in viem's types; its encoder takes both.
      const digest = hashTypedData(ballot as unknown as TypedDataDefinition);
      if (await chain.isValidSignature(wallet, digest, signature)) return "contract";
    }
    const received = recovered ?? "a signature that is not 65 bytes with a low s";
    throw new ArcadeError(
      "SIGNATURE_INVALID",
      `Expected a signature by ${wallet}, received one by ${received}; sign typedData as voting/nonce gave it (EIP-712).`,
      { expected: wallet, received },
    );
  }

  /** Runs a check whose refusal uses the nonce up; where chain or store did not answer, it stays good. */
  async function burning<T>(nonce: string, check: () => Promise<T>): Promise<T> {
    try {
      return await check();
    } catch (fault) {
      const decided = fault instanceof ArcadeError && !fault.retryable;
      if (decided && !(await nonces.useNonce(nonce, clock.nowMs()))) throw used();
      throw fault;
    }
  }

  return {
    openDemonstration: views.openDemonstration,
    status: views.status,
    candidates: views.candidates,
    ballots: views.ballots,

    /** A one-time nonce and the complete ballot to sign. */
    async nonce({ walletAddress, gameSlug, voteSource }: BallotRequest) {
      const { cycle } = await findOpen(gameSlug);
      const nowMs = clock.nowMs();
      const expiresAtMs = nowMs + VOTING_TIMES.nonceTtlSeconds * 1000;
      const nonce = randomBytes(16).toString("hex");
      const message = { walletAddress, gameSlug, voteSource, nonce, cycleId: String(cycle.id) };
      await nonces.addNonce({
        nonce,
        purpose: "vote",
        wallet: walletAddress,
        slug: gameSlug,
        message: ballotText(message),
        issuedAtMs: nowMs,
        expiresAtMs,
        usedAtMs: null,
      });
      return { nonce, typedData: makeBallot(chainId, message), expiresAt: isoOf(expiresAtMs) };
    },

    /** Checks a signed ballot and counts it: one per wallet and game. */
    async vote(request: BallotRequest & { readonly nonce: string; readonly signature: Hex }) {
      const { walletAddress: wallet, gameSlug, voteSource, nonce, signature } = request;
      const { cycle } = await views.find(gameSlug);
      const message = readBallotText((await findNonce(request)).message);
      const { proof, agentId } = await burning(nonce, async () => {
        const proof = await checkSignature(wallet, makeBallot(chainId, message), signature);
        await findOpen(gameSlug);
        return { proof, agentId: voteSource === "ai_agent" ? await checkEligible(wallet, cycle) : null };
      });
      const outcome = await store.cast({
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
      if (outcome === "nonce_used") throw used();
      if (outcome === "closed") throw closed(gameSlug, cycle);
      if (outcome === "already_voted") {
        throw new ArcadeError(
          "ALREADY_VOTED",
          `${wallet} has voted for ${gameSlug} already; every wallet has one vote per game.`,
        );
      }
      const [tally] = await store.tally([gameSlug]);
      return { recorded: true as const, ...countsOf(tally!) };
    },
  };
}
