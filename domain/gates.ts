/** Gates: what an agent must do before its next session starts. Checked in this order: identity, snapshot, NFT. */
import { ArcadeError } from "./errors.ts";
import { nextSteps } from "./next-steps.ts";
import { toIso } from "./time.ts";

interface TierRow {
  readonly tier: number;
  readonly name: string;
  readonly minScore: number;
}

/** The highest tier a score reaches, 0 if it reaches none. */
export const getTier = (tiers: readonly TierRow[], score: number): number =>
  tiers.reduce((best, row) => (score >= row.minScore && row.tier > best ? row.tier : best), 0);

export interface PendingSession {
  readonly sessionId: string;
  readonly slug: string;
  readonly score: number;
}

/** The error of a request that must wait until the session's score is on chain. */
export const createSnapshotRequiredError = (
  { sessionId, score }: PendingSession,
  message: string,
  more: { readonly signedUntil?: string } = {},
): ArcadeError =>
  new ArcadeError("SNAPSHOT_REQUIRED", message, {
    sessionId,
    gameSessionId: sessionId,
    score,
    next: nextSteps.snapshot(sessionId),
    ...more,
  });

/** Throws `SNAPSHOT_REQUIRED` while an ended session with a score is not on chain. */
export function checkSnapshotGate(pending: PendingSession | null): void {
  if (pending === null) return;
  const { sessionId, slug, score } = pending;
  throw createSnapshotRequiredError(
    pending,
    `Session ${sessionId} of ${slug} ended with ${score} points that are not on chain yet; snapshot them first, or start with forfeitPending: true to give them up.`,
  );
}

/** The error for giving up a score whose signature is still valid. */
export function createStillSignedError(
  pending: PendingSession & { readonly signedUntilSeconds: number | null },
): ArcadeError {
  const { sessionId, score, signedUntilSeconds } = pending;
  const signedUntil = toIso((signedUntilSeconds ?? 0) * 1000);
  return createSnapshotRequiredError(
    pending,
    `The ${score} points of session ${sessionId} are signed for until ${signedUntil}, and cannot be given up before; send the signed snapshot, or start with forfeitPending: true after that.`,
    { signedUntil },
  );
}

export interface NftFacts {
  readonly slug: string;
  /** The best snapshotted session of the wallet, null if it has none. */
  readonly best: { readonly sessionId: string; readonly score: number } | null;
  readonly tiers: readonly TierRow[];
  /** 0 if the identity has no token of this game. */
  readonly heldTier: number;
  /** The identity's token belongs to another wallet. */
  readonly transferred: boolean;
  /** The highest tier step the wallet gave up. */
  readonly forfeitedTier: number;
}

/** The tier step that waits for its mint or upgrade; null if there is none. */
export function findPendingTier(facts: NftFacts): {
  readonly sessionId: string;
  readonly score: number;
  readonly tier: number;
  readonly action: "mint" | "upgrade";
} | null {
  const { best, heldTier, forfeitedTier } = facts;
  if (best === null || facts.transferred) return null;
  const tier = getTier(facts.tiers, best.score);
  if (tier <= Math.max(heldTier, forfeitedTier)) return null;
  return { sessionId: best.sessionId, score: best.score, tier, action: heldTier === 0 ? "mint" : "upgrade" };
}

/** Throws `NFT_MINT_REQUIRED` while a snapshotted high score reaches a tier above the one held. */
export function checkNftGate(facts: NftFacts): void {
  const step = findPendingTier(facts);
  if (step === null) return;
  throw new ArcadeError(
    "NFT_MINT_REQUIRED",
    `The score ${step.score} of session ${step.sessionId} reaches tier ${step.tier} of ${facts.slug}; ${step.action} the NFT first, or start with forfeitPending: true to give the step up.`,
    {
      ...step,
      next: nextSteps.prepareNft(facts.slug, step.sessionId),
    },
  );
}

/** Sessions start without gates once the chain or the signer has been unavailable for this long. */
export const GATES_SKIPPED_AFTER_MS = 10 * 60 * 1000;
