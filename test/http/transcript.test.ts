import { expect } from "chai";
import type { Hex } from "viem";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { createTranscript } from "../../domain/replay/transcript.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { createAgent, type Player } from "../../testing/player.ts";
import { useTestStack } from "../helpers/suite.ts";
import { ShiftClock } from "./support/shift-clock.ts";
import { createRouteTester } from "./support/watch-routes.ts";

const SLUG = "shellrunners";

describe("signatures of transcripts", () => {
  const clock = new ShiftClock();
  let player: Player;
  let other: Player;
  const api = createRouteTester(() => stack);
  const stack = useTestStack({ clock });
  before(async () => {
    [player, other] = [await createAgent(stack, "Pinch"), await createAgent(stack, "Snap")];
  });
  api.checkCodesAfterAll(["sessions.transcript"]);

  const addRun = (
    options: { readonly source?: "browser_ws"; readonly minScore?: number; readonly isJoined?: false } = {},
  ) => addEndedSession(stack, { wallet: player.address, slug: SLUG, minScore: 30, ...options });
  const of = async (sessionId: string, signature: Hex, slug = SLUG) => ({
    params: { slug, sessionId },
    token: await player.getAccessToken(),
    body: { signature },
  });
  async function sign(row: SessionRow, signer = player): Promise<Hex> {
    const replay = await player.client.sessions.replay({ slug: SLUG, sessionId: row.sessionId });
    return signer.wallet.signTypedData!(createTranscript(replay));
  }
  const fetchReplay = (row: SessionRow) => fetch(`${stack.httpUrl}/api/replays/${row.gameSessionHash}`);

  it("are added once by the session's wallet, and make the replay immutable", async () => {
    const row = await addRun({ minScore: 900 });
    const open = await fetchReplay(row);
    expect(open.headers.get("cache-control")).to.equal("public, no-cache");
    expect(open.headers.get("content-encoding")).to.be.oneOf(["br", "gzip"]);
    const signature = await sign(row);
    for (let times = 0; times < 2; times += 1) {
      const { body } = await api.expectSuccess("sessions.transcript", await of(row.sessionId, signature));
      expect(body).to.include({ sessionId: row.sessionId, signed: true });
    }
    const signed = await fetchReplay(row);
    expect(signed.headers.get("cache-control")).to.equal("public, max-age=31536000, immutable");
    expect(signed.headers.get("etag")).to.not.equal(open.headers.get("etag"));
    expect(await signed.json()).to.include({ transcriptSignature: signature });
  });

  it("are rejected from another wallet, for practice, and for sessions that continue or are unknown", async () => {
    const row = await addRun();
    const signature = await sign(row, other);
    await api.expectError("sessions.transcript", "SIGNATURE_INVALID", await of(row.sessionId, signature));
    await api.expectError("sessions.transcript", "SIGNATURE_INVALID", await of(row.sessionId, "0x12"));
    const practice = await addRun({ source: "browser_ws" });
    await api.expectError("sessions.transcript", "SOURCE_NOT_ELIGIBLE", await of(practice.sessionId, signature));
    const { sessionId } = await other.client.sessions.start({ slug: SLUG, source: "agent_api" });
    const running = { ...(await of(sessionId, signature)), token: await other.getAccessToken() };
    await api.expectError("sessions.transcript", "SESSION_NOT_ENDED", running);
    await api.expectError("sessions.transcript", "SESSION_NOT_FOUND", await of(sessionId, signature));
    await api.expectError("sessions.transcript", "GAME_NOT_FOUND", await of(sessionId, signature, "tetris"));
  });

  it("are rejected after ten minutes, when the replay is final, and for a session that no player has joined", async () => {
    const empty = await addRun({ isJoined: false });
    await api.expectError("sessions.transcript", "DEADLINE_OUT_OF_RANGE", await of(empty.sessionId, await sign(empty)));
    const row = await addRun();
    const signature = await sign(row);
    clock.advance(11 * 60_000);
    await api.expectError("sessions.transcript", "DEADLINE_OUT_OF_RANGE", await of(row.sessionId, signature));
    expect((await fetchReplay(row)).headers.get("cache-control")).to.include("immutable");
  });
});
