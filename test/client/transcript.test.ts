import { expect } from "chai";
import type { TypedDataDefinition } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import type { Replay } from "../../client/api.ts";
import {
  type ArcadeClient,
  ArcadeEvidenceError,
  attestSession,
  playSession,
  type Transcript,
  verifyReplay,
} from "../../client/index.ts";
import { createTranscript } from "../../domain/replay/transcript.ts";
import type { Bot } from "../../games/game.ts";
import { findGame } from "../../games/index.ts";
import { createFastClock } from "../../testing/clock.ts";
import { createAgent } from "../../testing/player.ts";
import { useShared } from "../helpers/fixture.ts";
import { useTestStack } from "../helpers/suite.ts";

const TICKS = 60;

const OTHER_SEED = `0x${"11".repeat(32)}` as const;

async function catchError(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  );
}

/** Acts by a fixed pattern for some ticks. */
function createBot(slug: string): Bot {
  const { inputs } = findGame(slug)!;
  return ({ tick }) => {
    if (tick >= TICKS) return null;
    return tick % 7 === 0 ? inputs[(tick / 7) % inputs.length]!.message : null;
  };
}

for (const slug of ["shellrunners", "flappybots"]) {
  describe(`the transcript of a session of ${slug}`, () => {
    let transcript: Transcript;
    let replay: Replay;
    const stack = useTestStack({ clock: createFastClock(2) });
    const player = useShared(() => createAgent(stack));
    before(async () => {
      const { client } = player;
      const session = await client.sessions.start({ slug, source: "agent_api" });
      let isEnding = false;
      await playSession({
        client,
        session,
        bot: createBot(slug),
        onFrame: ({ tick }) => {
          if (tick <= TICKS || isEnding) return;
          isEnding = true;
          void client.sessions.end({ slug, sessionId: session.sessionId });
        },
        onTranscript: (kept) => {
          transcript = kept;
        },
      });
      replay = await client.sessions.replay({ slug, sessionId: session.sessionId });
    });

    const compare = async (changed: Partial<Replay>, kept: Partial<Transcript> = {}) =>
      (await verifyReplay({ ...replay, ...changed }, { transcript: { ...transcript, ...kept } })).differences.map(
        ({ field }) => field,
      );

    it("agrees with an honest replay", async () => {
      expect(replay.inputs.length).to.be.greaterThan(3);
      expect(transcript.marks.length).to.be.greaterThan(3);
      expect(transcript.entropy).to.match(/^0x[0-9a-f]{64}$/);
      expect(await compare({})).to.deep.equal([]);
    });

    it("reports an input that was not sent, one that is missing, and one at another tick", async () => {
      const { inputs } = replay;
      const added = inputs.toSpliced(1, 0, inputs[0]!);
      const removed = inputs.toSpliced(1, 1);
      const moved = inputs.with(1, [inputs[1]![0] + 1, inputs[1]![1]]);
      for (const changed of [added, removed, moved])
        expect((await compare({ inputs: changed })).join()).to.include("transcript.inputs");
    });

    it("reports an input that was sent and acknowledged, but left out by the service from the start", async () => {
      // A service that drops or swaps inputs returns the digests of what it recorded instead.
      const messages = findGame(slug)!.inputs.map(({ message }) => message);
      const sent = transcript.sent.map(({ seq, message }) => {
        const at = messages.findIndex((other) => JSON.stringify(other) === JSON.stringify(message));
        return { seq, message: messages[(at + 1) % messages.length]! };
      });
      expect((await compare({}, { sent })).join()).to.include("transcript.inputs");
    });

    it("names a seed that was changed after the start", async () => {
      expect(await compare({}, { seedCommitment: `0x${"00".repeat(32)}` })).to.deep.equal([
        "transcript.seedCommitment",
      ]);
      expect(await compare({}, { entropy: "0x01" })).to.deep.equal(["transcript.entropy"]);
    });

    it("names a rate that is not that of the game that was played", async () => {
      expect(transcript.tickHz).to.equal(replay.tickHz);
      expect(await compare({}, { tickHz: replay.tickHz + 1 })).to.deep.equal(["transcript.tickHz"]);
    });

    it("is signed once by the wallet, and the replay is attested for everyone", async () => {
      const { client } = player;
      const { sessionId } = transcript;
      expect(await verifyReplay(replay)).to.include({ verdict: "REPRODUCED", ok: true });
      expect(await attestSession({ client, slug, transcript })).to.include({ verdict: "SIGNED_BY_PLAYER", ok: true });
      const signed = await client.sessions.replay({ slug, sessionId });
      expect(await verifyReplay(signed)).to.include({ verdict: "SIGNED_BY_PLAYER", ok: true });
      const digit = signed.transcriptSignature!.at(20) === "0" ? "1" : "0";
      const forged = signed.transcriptSignature!.slice(0, 20) + digit + signed.transcriptSignature!.slice(21);
      const verdict = await verifyReplay({ ...signed, transcriptSignature: forged as `0x${string}` });
      expect(verdict).to.include({ verdict: "DIVERGED", ok: false });
      expect(verdict.differences.map(({ field }) => field)).to.deep.equal(["transcriptSignature"]);
    });

    it("is not attested by another wallet's signature, or by the wallet's for another run", async () => {
      const otherAccount = privateKeyToAccount(generatePrivateKey());
      const sign = async (account: PrivateKeyAccount, signed: Replay) =>
        account.signTypedData(createTranscript(signed) as unknown as TypedDataDefinition);
      const own = { ...replay, wallet: otherAccount.address };
      const signatures = [
        [replay, await sign(otherAccount, replay)],
        [own, await sign(otherAccount, { ...own, pauses: [[1, 0, 1]] })],
      ] as const;
      for (const [signed, transcriptSignature] of signatures) {
        const { verdict, differences } = await verifyReplay({ ...signed, transcriptSignature });
        expect(verdict).to.equal("DIVERGED");
        expect(differences.map(({ field }) => field)).to.deep.equal(["transcriptSignature"]);
      }
      const attested = { ...own, transcriptSignature: await sign(otherAccount, own) };
      expect(await verifyReplay(attested)).to.include({ verdict: "SIGNED_BY_PLAYER" });
    });

    it("is not signed when the replay differs from it", async () => {
      const kept = { ...transcript, entropy: "0x01" } as const;
      expect(await attestSession({ client: player.client, slug, transcript: kept })).to.include({
        verdict: "DIVERGED",
      });
    });
  });
}

describe("a service that changes the seed of a session", () => {
  const stack = useTestStack({ clock: createFastClock(2) });
  const player = useShared(() => createAgent(stack));

  it("is found by the first hello, whose commitment is not that of the start", async () => {
    const { client } = player;
    const started = await client.sessions.start({ slug: "flappybots", source: "agent_api" });
    const session = { ...started, session: { ...started.session, seedCommitment: OTHER_SEED } };
    let frames = 0;
    const onFrame = (): void => {
      frames += 1;
    };
    const error = await catchError(playSession({ client, session, bot: () => null, onFrame }));
    expect(frames, "frames of a game whose seed was changed").to.equal(0);
    expect(error).to.be.instanceOf(ArcadeEvidenceError);
    expect(error).to.include({
      field: "seedCommitment",
      expected: OTHER_SEED,
      received: started.session.seedCommitment,
    });
    await client.sessions.end({ slug: "flappybots", sessionId: started.sessionId });
  });

  for (const [field, change] of [
    ["seedCommitment", { serverSeed: OTHER_SEED }],
    ["seed", { seed: OTHER_SEED }],
  ] as const) {
    it(`is detected by the revealed ${field}`, async () => {
      const slug = "shellrunners";
      const { sessions } = player.client;
      const client: ArcadeClient = {
        ...player.client,
        sessions: { ...sessions, replay: async (input) => ({ ...(await sessions.replay(input)), ...change }) },
      };
      const session = await sessions.start({ slug, source: "agent_api" });
      const playing = playSession({
        client,
        session,
        bot: () => null,
        onHello: () => void sessions.end({ slug, sessionId: session.sessionId }),
      });
      const error = await catchError(playing);
      expect(error).to.be.instanceOf(ArcadeEvidenceError);
      expect(error).to.include({ field });
    });
  }
});
