import type { Hex } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { buildReplay } from "../../../domain/replay/build-replay.ts";
import type { Replay } from "../../../domain/replay/replay.ts";
import { createTranscript, TRANSCRIPT_SECONDS } from "../../../domain/replay/transcript.ts";
import { describeForm, toCanonicalSignature } from "../../../domain/signature-form.ts";
import type { ChainReader } from "../../ports/chain.ts";
import type { SessionRow, SessionStore } from "../../ports/store/sessions.ts";
import type { Clock, Worker } from "../../ports/system.ts";
import type { Player } from "../auth/channel-tokens.ts";
import type { Sessions } from "./sessions.ts";

interface ReplayPorts {
  readonly store: Pick<SessionStore, "findByHash" | "getRecording" | "addTranscriptSignature">;
  readonly sessions: Pick<Sessions, "find" | "findOwn">;
  readonly chain: Pick<ChainReader, "deployment">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly worker: Pick<Worker, "recoverTypedData">;
}

export interface FoundReplay {
  readonly replay: Replay;
  /** No signature can be added after this. */
  readonly isFinal: boolean;
}

/** Replays of ended agent sessions, and the signatures that their wallets add. */
export class Replays {
  readonly #ports: ReplayPorts;

  constructor(ports: ReplayPorts) {
    this.#ports = ports;
  }

  /** The replay of an ended agent session: everything needed to derive its score again. */
  async get(slug: string, sessionId: string): Promise<FoundReplay> {
    return this.#build(await this.#ports.sessions.find(slug, sessionId));
  }

  /** The replay of the session with this hash on chain. Throws `SESSION_NOT_FOUND`. */
  async getByHash(gameSessionHash: Hex): Promise<FoundReplay> {
    const row = await this.#ports.store.findByHash(gameSessionHash);
    if (row !== null) return this.#build(row);
    throw new ArcadeError("SESSION_NOT_FOUND", `There is no session with gameSessionHash ${gameSessionHash}.`);
  }

  /**
   * Adds the wallet's signature to the replay of its ended session. Throws `SESSION_NOT_ENDED`, `SOURCE_NOT_ELIGIBLE`,
   * `DEADLINE_OUT_OF_RANGE` or `SIGNATURE_INVALID`.
   */
  async sign(slug: string, sessionId: string, player: Player, signature: Hex) {
    const { store, worker, sessions } = this.#ports;
    const row = await sessions.findOwn(slug, sessionId, player);
    const { replay, isFinal } = await this.#build(row);
    if (row.transcriptSignature === null) {
      if (isFinal)
        throw new ArcadeError(
          "DEADLINE_OUT_OF_RANGE",
          `Expected the signature within ${TRANSCRIPT_SECONDS} s after the end of a session that a player has joined.`,
        );
      const recovered = await worker.recoverTypedData(createTranscript(replay), signature);
      if (recovered !== row.wallet)
        throw new ArcadeError(
          "SIGNATURE_INVALID",
          `Expected a signature of Transcript by ${row.wallet}, received ${recovered === null ? describeForm(signature).text : `one by ${recovered}`}; the wallet's key signs it, not a contract.`,
          { expected: row.wallet, received: recovered },
        );
      await store.addTranscriptSignature(sessionId, toCanonicalSignature(signature));
    }
    return { sessionId, signed: true as const };
  }

  async #build(row: SessionRow): Promise<FoundReplay> {
    const { store, chain } = this.#ports;
    if (row.source !== "agent_api")
      throw new ArcadeError("SOURCE_NOT_ELIGIBLE", "Practice sessions have no public replay.");
    if (row.endedAtMs === null || row.endReason === null) {
      const message = `Session ${row.sessionId} is still being played; its seed is revealed when it ends.`;
      throw new ArcadeError("SESSION_NOT_ENDED", message);
    }
    const replay = buildReplay(row, await store.getRecording(row.sessionId), chain.deployment);
    const { endedAtMs, entropy, transcriptSignature } = row;
    const isSignable = this.#ports.clock.nowMs() < endedAtMs + TRANSCRIPT_SECONDS * 1000;
    const isFinal = entropy === null || transcriptSignature !== null || !isSignable;
    return { replay, isFinal };
  }
}
