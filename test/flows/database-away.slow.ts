import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { type ArcadeClient, createClient, playSession } from "../../client/index.ts";
import { findGame } from "../../games/index.ts";
import type { ArcadeProcess, BackendProcess } from "../../lab/drills/support/process.ts";
import { useTestFleet } from "../helpers/test-fleet.ts";
import { waitUntil } from "../helpers/wait-until.ts";

const SLUG = "shellrunners";
const TICKS_PER_SECOND = findGame(SLUG)!.tickHz;
const AWAY_MS = 50_000;
const BACK_MAX_MS = 10_000;
const PLAYERS = 3;
/** One attempt per request, so that the load sees every failure. */
const IMPATIENT = { retries: 0 };

/** Practice sessions of one client, one after the other. */
class Load {
  /** Sessions whose end was acknowledged, with their score. */
  readonly ended = new Map<string, number>();
  /** The time of the last frame. */
  playedAtMs = 0;
  readonly #client: ArcadeClient;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(httpUrl: string) {
    this.#client = createClient({ baseUrl: httpUrl, retry: IMPATIENT, WebSocket: globalThis.WebSocket });
    this.#running = this.#playOn();
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error("over"));
    await this.#running;
  }

  async #playOn(): Promise<void> {
    while (!this.#stop.signal.aborted) await this.#play().catch(() => sleep(200));
  }

  async #play(): Promise<void> {
    const client = this.#client;
    const session = await client.sessions.start({ slug: SLUG, source: "browser_ws" });
    const leave = new AbortController();
    let ticks = 0;
    const end = playSession({
      client,
      session,
      bot: findGame(SLUG)!.bots.reference(),
      signal: AbortSignal.any([leave.signal, this.#stop.signal]),
      onFrame: () => {
        this.playedAtMs = performance.now();
        ticks += 1;
        if (ticks > TICKS_PER_SECOND) leave.abort(new Error("played enough"));
      },
    });
    await end.catch(() => undefined);
    const { sessionId, practiceToken } = session;
    const stored = await client.sessions.end({ slug: SLUG, sessionId }, { token: practiceToken! });
    this.ended.set(sessionId, stored.session.score);
  }
}

/** The tests wait for conditions. If one is never met, the timeout ends them. */
describe("two backends while PostgreSQL is unavailable", () => {
  const getFleet = useTestFleet();
  let first: ArcadeProcess;
  let second: BackendProcess;
  before(async () => {
    first = await getFleet().startFirst();
    second = await getFleet().startOther();
  });

  it("serve reads, lose nothing that was acknowledged, and play again when it is back", async () => {
    const urls = [first.ready.httpUrl, second.httpUrl];
    const { postgres } = getFleet();
    const exits: string[] = [];
    for (const backend of [first, second]) void backend.exited.then((code) => exits.push(String(code)));
    const loads = urls.flatMap((url) => Array.from({ length: PLAYERS }, () => new Load(url)));
    const read = async (url: string, path: string) => {
      const response = await fetch(url + path, { signal: AbortSignal.timeout(5_000) });
      return { status: response.status, text: await response.text() };
    };
    const KEPT = ["/api/leaderboard", "/api/games/catalog"];
    try {
      await waitUntil(() => loads.every(({ ended }) => ended.size > 0));
      for (const url of urls) for (const path of KEPT) expect((await read(url, path)).status, path).to.equal(200);

      await postgres.crash();
      const awayUntilMs = performance.now() + AWAY_MS;
      const lost = (output: string) => output.includes("the lease of this node has run out");
      await waitUntil(() => lost(first.output()) && lost(second.output()));
      for (const url of urls) {
        const { status, text } = await read(url, "/readyz");
        expect(status).to.equal(503);
        expect(text).to.include('"name":"database","ok":false');
      }
      while (performance.now() < awayUntilMs) {
        for (const url of urls)
          for (const path of ["/healthz", "/openapi.json", ...KEPT])
            expect((await read(url, path)).status, `${path} while the database is away`).to.equal(200);
        await sleep(1_000);
      }
      await postgres.start();
      const backAtMs = performance.now();
      await waitUntil(() => loads.every(({ playedAtMs }) => playedAtMs > backAtMs));
      expect(performance.now() - backAtMs, "ms until all play again").to.be.below(BACK_MAX_MS);
      expect(exits, "backends that have ended").to.deep.equal([]);
      for (const url of urls) await waitUntil(async () => (await read(url, "/readyz")).status === 200);
    } finally {
      await Promise.all(loads.map((load) => load.stop()));
    }
    const client = createClient({ baseUrl: first.ready.httpUrl });
    for (const { ended } of loads)
      for (const [sessionId, score] of ended)
        expect((await client.sessions.get({ slug: SLUG, sessionId })).session).to.include({ phase: "ended", score });
    for (const output of [first.output(), second.output()])
      expect(output).to.include("this node has joined the others again");
  });
});
