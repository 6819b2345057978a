import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { developmentAccount, developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import { attestSession, playSession, snapshotScore, type Transcript } from "../../client/index.ts";
import { createTranscript } from "../../domain/replay/transcript.ts";
import { findGame } from "../../games/index.ts";
import { command as replayCommand } from "../../scripts/replay.ts";
import { command as verifyCommand } from "../../scripts/verify.ts";
import { createFastClock } from "../../testing/clock.ts";
import { createAgent } from "../../testing/player.ts";
import { createChainClient } from "../adapters/chain/chain-fixture.ts";
import { type RecordedSession, recordSession } from "../games/recorded-session.ts";
import { submitScores } from "../helpers/chain-scores.ts";
import { callCommand } from "../helpers/commands.ts";
import { useShared } from "../helpers/fixture.ts";
import { useTestStack } from "../helpers/suite.ts";
import { NoPointsError, untilPoints } from "../helpers/until-points.ts";

const SLUG = "shellrunners";
const SEQUENCE = 77;

describe("a run that was forged with the score key", () => {
  let invented: RecordedSession;
  let folder: string;
  const stack = useTestStack({ clock: createFastClock(2) });
  const player = useShared(() => createAgent(stack));
  before(async () => {
    folder = join(stack.dataDir, "replays");
    await mkdir(folder);
  });

  const write = (name: string, replay: object) => writeFile(join(folder, `${name}.json`), JSON.stringify(replay));
  const verify = async () => {
    const chain = ["--rpc", stack.chain.rpcUrl, "--rewards", stack.deployment.rewards];
    const { code, json, err } = await callCommand(verifyCommand, [...chain, "--replays", folder, "--json"]);
    const scores: readonly { event: { gameSessionHash: string }; verdict: string; reason: string }[] = json.scores;
    return { code, err, of: (hash: string) => scores.find(({ event }) => event.gameSessionHash === hash)! };
  };

  /** Plays until there are points, and lets the wallet sign the run. */
  async function playAndSign(): Promise<string> {
    const { client } = player;
    const session = await client.sessions.start({ slug: SLUG, source: "agent_api" });
    const { sessionId } = session;
    let transcript: Transcript | null = null;
    let isEnding = false;
    const { score: points, endReason } = await playSession({
      client,
      session,
      bot: findGame(SLUG)!.bots.reference(),
      onFrame: ({ score }) => {
        if (score.current === 0 || isEnding) return;
        isEnding = true;
        void client.sessions.end({ slug: SLUG, sessionId });
      },
      onTranscript: (kept) => {
        transcript = kept;
      },
    });
    if (points === 0) throw new NoPointsError(endReason);
    expect(await attestSession({ client, slug: SLUG, transcript: transcript! })).to.include({
      verdict: "SIGNED_BY_PLAYER",
    });
    await snapshotScore({ client, sessionId });
    await write("played", await client.sessions.replay({ slug: SLUG, sessionId }));
    return (await client.sessions.get({ slug: SLUG, sessionId })).session.snapshot.gameSessionHash!;
  }

  /** What the operator or a thief of the score key can do: sign a bot's run without a session, and put it on chain. */
  async function invent(): Promise<void> {
    const { chainId, rewards } = stack.deployment;
    const game = findGame(SLUG)!;
    invented = recordSession({
      game,
      seedNumber: 5,
      bot: game.bots.reference(),
      exitAt: 1200,
      wallet: player.address,
      sequence: SEQUENCE,
      chain: { chainId, rewards },
      entropy: "0xc0ffee",
    });
    const sender = privateKeyToAccount(developmentAccount(0).privateKey);
    const client = createChainClient(stack.chain.rpcUrl);
    await submitScores({ client, deployment: stack.deployment, players: [sender] }, [invented]);
    await write("invented", invented.replay);
  }

  it("is on chain and REPRODUCED, and not SIGNED_BY_PLAYER as one that the wallet signed", async () => {
    const played = await untilPoints(playAndSign);
    await invent();
    const { code, err, of } = await verify();
    expect(code, err).to.equal(0);
    expect(of(played)).to.include({ verdict: "SIGNED_BY_PLAYER" });
    expect(of(played).reason).to.include("the wallet signed it");
    const verdict = of(invented.claims.gameSessionHash);
    expect(verdict).to.include({ verdict: "REPRODUCED" });
    expect(verdict.reason).to.include("the wallet has not signed it");
    const file = join(folder, "invented.json");
    const single = await callCommand(
      replayCommand,
      [file, "--rpc", stack.chain.rpcUrl, "--url", stack.httpUrl, "--json"],
      { ARCADE_DATA_DIR: stack.dataDir },
    );
    expect(single.json.conclusion).to.include("REPRODUCED").and.to.include("the wallet has not signed it");
  });

  it("is DIVERGED with a signature of the score key instead of the wallet's", async () => {
    const scoreKey = privateKeyToAccount(developmentServiceAccount(4).privateKey);
    const transcriptSignature = await scoreKey.signTypedData(createTranscript(invented.replay) as never);
    await write("invented", { ...invented.replay, transcriptSignature });
    const { code, of } = await verify();
    expect(code).to.equal(5);
    const verdict = of(invented.claims.gameSessionHash);
    expect(verdict).to.include({ verdict: "DIVERGED" });
    expect(verdict.reason).to.include("transcriptSignature");
  });
});
