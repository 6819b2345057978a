import { expect } from "chai";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { verifyReplay } from "../../client/index.ts";
import { TRANSCRIPT_SECONDS } from "../../domain/replay/transcript.ts";
import { addEndedSession, withStore } from "../../testing/ended-session.ts";
import { createAgent, type Player } from "../../testing/player.ts";
import { useTestStack } from "../helpers/suite.ts";
import { ShiftClock } from "./support/shift-clock.ts";
import { createRouteTester } from "./support/watch-routes.ts";

const SLUG = "shellrunners";

describe("runs and their replays", () => {
  const clock = new ShiftClock();
  let agents: readonly [Player, Player];
  let runs: readonly SessionRow[];
  const api = createRouteTester(() => stack);

  async function addRun(player: Player, minScore: number): Promise<SessionRow> {
    const row = await addEndedSession(stack, { wallet: player.address, slug: SLUG, minScore });
    await withStore(stack, (store) => store.sessions.setVerification(row.sessionId, "verified"));
    return row;
  }
  const stack = useTestStack({ clock });
  before(async () => {
    agents = [await createAgent(stack, "Pinch"), await createAgent(stack, "Snap")];
    runs = [await addRun(agents[0], 900), await addRun(agents[1], 100), await addRun(agents[0], 50)];
  });
  api.checkCodesAfterAll(["games.runs", "replays.get"]);

  const listRuns = async (query: string) =>
    (await api.expectSuccess("games.runs", { params: { slug: SLUG }, query })).body;
  const fetchReplay = (hash: string, headers: { readonly [name: string]: string }) =>
    fetch(`${stack.httpUrl}/api/replays/${hash}`, { headers });

  it("lists verified runs, the latest or the best first, of one agent or of all", async () => {
    const [best, second, latest] = runs.map(({ sessionId }) => sessionId);
    const list = async (query: string) =>
      (await listRuns(query)).items.map(({ sessionId }: { sessionId: string }) => sessionId);
    expect(await list("")).to.deep.equal([latest, second, best]);
    expect(await list("?sort=top&period=month")).to.deep.equal([best, second, latest]);
    expect(await list(`?sort=top&agentId=${runs[0]!.agentId}`)).to.deep.equal([best, latest]);
    expect(await listRuns("?limit=1&page=2")).to.include({ total: 3, page: 2, limit: 1 });
    await api.expectError("games.runs", "GAME_NOT_FOUND", { params: { slug: "tetris" } });
    for (const query of ["?sort=worst", "?period=year", "?agentId=one", "?wallet=1"])
      expect((await api.call("games.runs", { params: { slug: SLUG }, query })).status).to.equal(400);
  });

  it("links each run and each row of the leaderboard to a replay that gives the same score", async () => {
    const { items: listed } = await listRuns("?sort=top");
    const { body } = await api.call("stats.leaderboard", { query: `?game=${SLUG}` });
    expect(body.items).to.have.length(2);
    for (const { sessionId, gameSessionHash, score } of [...listed, ...body.items]) {
      const replay = await agents[0].client.replays.get({ gameSessionHash });
      expect(replay.sessionId).to.equal(sessionId);
      expect(await verifyReplay(replay)).to.deep.include({ ok: true, finalScore: score, gameSessionHash });
    }
  });

  it("serves a replay by its hash in any case, compressed and immutable", async () => {
    const { gameSessionHash } = runs[0]!;
    clock.advance(TRANSCRIPT_SECONDS * 1000);
    const { body } = await api.expectSuccess("replays.get", { params: { gameSessionHash: gameSessionHash! } });
    expect(body.sessionId).to.equal(runs[0]!.sessionId);
    for (const [hash, encoding] of [
      [gameSessionHash!, "br"],
      [`0x${gameSessionHash!.slice(2).toUpperCase()}`, "gzip"],
    ] as const) {
      const response = await fetchReplay(hash, { "Accept-Encoding": encoding });
      expect(response.headers.get("content-encoding")).to.equal(encoding);
      expect(response.headers.get("vary")).to.include("Accept-Encoding");
      expect(response.headers.get("cache-control")).to.equal("public, max-age=31536000, immutable");
      expect(await response.json()).to.deep.equal(body);
    }
  });

  it("has no replay of an unknown or malformed hash", async () => {
    for (const gameSessionHash of [`0x${"00".repeat(32)}`, "0x12", "latest"])
      await api.expectError("replays.get", "SESSION_NOT_FOUND", { params: { gameSessionHash } });
  });
});
