import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import {
  type ArcadeClient,
  createClient,
  type EndMessage,
  type PlayOptions,
  playSession,
  registerAgent,
  type SpectateOptions,
  spectate,
} from "../../client/index.ts";
import { findGame } from "../../games/index.ts";
import { fund, makeDrillAgent } from "../../lab/drills/support/agent.ts";
import type { ArcadeProcess } from "../../lab/drills/support/process.ts";
import { type Balancer, startBalancer } from "../../scripts/fleet/balancer.ts";
import { useTestFleet } from "../helpers/test-fleet.ts";
import { LivesLostError, untilItLasts } from "../helpers/until-points.ts";
import { waitUntil } from "../helpers/wait-until.ts";

const SLUG = "shellrunners";
const { tickHz } = findGame(SLUG)!;
const POLL_MS = 20;
/** The second reason: the bot may lose its last life at the end of the test. */
const END_REASONS = ["ended_by_player", "lives_lost"];
/** When the client gives up a socket, its kept HTTP connections have already been closed. */
const SILENCE_TIMEOUT_MS = 9_000;

type Ended = Awaited<ReturnType<ArcadeClient["sessions"]["end"]>>;
type Handlers = Pick<SpectateOptions, "onHello" | "onFrame" | "onReconnect" | "silenceTimeoutMs">;

/** What a player or a viewer sees of a session over successive sockets. */
class Channel {
  /** Sockets that have received `hello`. */
  sockets = 0;
  tick = 0;
  /** Sockets that the client has given up because nothing arrived. */
  silences = 0;
  readonly end: Promise<EndMessage>;
  #failure: unknown = null;

  constructor(open: (handlers: Handlers) => Promise<EndMessage>) {
    this.end = open({
      silenceTimeoutMs: SILENCE_TIMEOUT_MS,
      onHello: () => {
        this.sockets += 1;
      },
      onFrame: ({ tick }) => {
        this.tick = tick;
      },
      onReconnect: ({ reason }) => {
        if (reason === "SILENT") this.silences += 1;
      },
    });
    this.end.then(
      ({ endReason }) => {
        this.#failure = endReason === "lives_lost" ? new LivesLostError() : new Error(`it has ended: ${endReason}`);
      },
      (error: unknown) => {
        this.#failure = error;
      },
    );
  }

  /** Waits for a condition. If it is never met, the timeout ends the test. Throws the error that ended the channel. */
  async waitUntil(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.#failure !== null) throw this.#failure;
      await sleep(POLL_MS);
    }
  }

  /** Resolves after another second of the game has been seen. */
  async seesMore(): Promise<void> {
    const { tick } = this;
    await this.waitUntil(() => this.tick >= tick + tickHz);
  }

  /** Resolves when the client has given up the current socket. */
  async isGivenUp(): Promise<void> {
    const { silences } = this;
    await this.waitUntil(() => this.silences > silences);
  }

  /** Resolves when the session was shown for a second over a new socket. */
  async continues(): Promise<void> {
    const { sockets } = this;
    await this.waitUntil(() => this.sockets > sockets);
    await this.seesMore();
  }
}

const forAll = (channels: readonly Channel[], wait: (channel: Channel) => Promise<void>): Promise<unknown> =>
  Promise.all(channels.map(wait));

/** A player and a viewer of one session, who have seen a second of it. */
async function open(client: ArcadeClient, session: PlayOptions["session"]): Promise<readonly Channel[]> {
  const { sessionId } = session;
  const bot = findGame(SLUG)!.bots.reference();
  const channels = [
    new Channel((handlers) => playSession({ client, session, bot, ...handlers })),
    new Channel((handlers) => spectate({ client, slug: SLUG, sessionId, ...handlers })),
  ];
  await forAll(channels, (channel) => channel.seesMore());
  return channels;
}

/** Player and viewer get the stored end. */
async function expectEnd(channels: readonly Channel[], session: Ended["session"]): Promise<void> {
  const { sessionId, score, endReason } = session;
  expect(session.phase).to.equal("ended");
  expect(endReason).to.be.oneOf(END_REASONS);
  for (const { end } of channels) expect(await end).to.include({ sessionId, score, endReason });
}

/** SIGSTOP keeps every socket open, and the machine accepts connections that the backend does not answer. */
describe("a suspended backend that closes no socket", () => {
  const getFleet = useTestFleet();
  let balancer: Balancer;
  let publicUrl: string;
  /** The backends that the balancer considers healthy. */
  let healthy: readonly { readonly httpUrl: string }[] = [];
  let first: ArcadeProcess;
  before(async () => {
    const listPorts = () => healthy.map(({ httpUrl }) => Number(new URL(httpUrl).port));
    balancer = await startBalancer({ port: 0, whenBusy: "next", listPorts });
    publicUrl = `http://127.0.0.1:${balancer.port}`;
    first = await getFleet().startFirst({ ARCADE_PUBLIC_URL: publicUrl });
  });
  after(() => balancer?.close());

  async function stopTheOnlyOne(): Promise<void> {
    const backend = await getFleet().startSingle();
    try {
      const client = createClient({ baseUrl: backend.httpUrl });
      const session = await client.sessions.start({ slug: SLUG, source: "browser_ws" });
      const channels = await open(client, session);
      const continued = forAll(channels, (channel) => channel.continues());
      continued.catch(() => undefined);
      backend.kill("SIGSTOP");
      await forAll(channels, (channel) => channel.isGivenUp());
      backend.kill("SIGCONT");
      await continued;
      const { sessionId, practiceToken } = session;
      const ended = await client.sessions.end({ slug: SLUG, sessionId }, { token: practiceToken! });
      await expectEnd(channels, ended.session);
    } finally {
      backend.kill("SIGKILL");
      await backend.exited;
    }
  }

  async function stopOneOfTwo(): Promise<void> {
    const backend = await getFleet().startOther({ ARCADE_PUBLIC_URL: publicUrl });
    const { rpcUrl } = first.ready;
    const agent = makeDrillAgent();
    await fund(first.ready, agent.address);
    // Session and sockets are on the backend that will be suspended.
    healthy = [backend];
    const client = agent.connect({ httpUrl: publicUrl, rpcUrl });
    await registerAgent({ client, agentName: "Patience" });
    const session = await client.sessions.start({ slug: SLUG, source: "agent_api" });
    const channels = await open(client, session);
    const continued = forAll(channels, (channel) => channel.continues());
    continued.catch(() => undefined);
    backend.kill("SIGSTOP");
    healthy = [first.ready];
    await forAll(channels, (channel) => channel.isGivenUp());
    await continued;
    backend.kill("SIGCONT");
    await waitUntil(() => backend.output().includes("this node has joined the others again"));
    await forAll(channels, (channel) => channel.seesMore());
    const { sessionId } = session;
    const ended = await client.sessions.end({ slug: SLUG, sessionId });
    await expectEnd(channels, ended.session);
  }

  it("a player and a viewer return to the only one when it continues", () => untilItLasts(stopTheOnlyOne));

  it("a player and a viewer continue on a fleet's other backend, even after this one continues", () =>
    untilItLasts(stopOneOfTwo));
});
