import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { verifyReplay } from "../../client/verify-replay.ts";
import type { Replay } from "../../domain/replay/replay.ts";
import { getRules, versions } from "../../games/index.ts";
import { games } from "../fixtures/games.ts";
import { GOLDEN_REPLAYS_FOLDER, getGoldenFileName, SESSION_PLANS } from "./golden-replays.ts";
import { type RecordedSession, recordSession } from "./recorded-session.ts";

const readGolden = (name: string): RecordedSession => JSON.parse(readFileSync(GOLDEN_REPLAYS_FOLDER + name, "utf8"));

const getDifferingFields = async ({ replay, claims }: RecordedSession): Promise<string[]> =>
  (await verifyReplay(replay, claims)).differences.map(({ field }) => field);

/** Derives sessions again in another process; returns the names of the differences for each session. */
async function verifyInOtherProcess(sessions: readonly RecordedSession[]): Promise<string[][]> {
  const script = fileURLToPath(new URL("./rederive.ts", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(sessions));
  const [differences] = await Promise.all([json(child.stdout), once(child, "close")]);
  return differences as string[][];
}

const flipHexBit = (hex: string, bit: number): `0x${string}` => {
  const index = 2 + (bit >> 2);
  const digit = Number.parseInt(hex[index]!, 16) ^ (1 << (bit & 3));
  return `${hex.slice(0, index)}${digit.toString(16)}${hex.slice(index + 1)}` as `0x${string}`;
};

describe("golden replays", () => {
  const names = readdirSync(GOLDEN_REPLAYS_FOLDER).filter((name) => name.endsWith(".json"));

  it("exist for every rules version ever played, and only for those in this build", () => {
    const expected = versions.flatMap((game) => Object.keys(SESSION_PLANS).map((run) => getGoldenFileName(game, run)));
    expect(names).to.have.members(expected);
  });

  for (const name of names) {
    const golden = readGolden(name);
    const { replay, claims } = golden;
    const withReplay = (change: Partial<Replay>): Promise<string[]> =>
      getDifferingFields({ replay: { ...replay, ...change }, claims });

    it(`${name} gives the score, digest and hash of its first day`, async () => {
      expect(getRules(replay.slug, replay.rulesVersion)).to.be.an("object");
      const verification = await verifyReplay(replay, claims);
      expect(verification.differences).to.deep.equal([]);
      expect(verification).to.include({ ok: true, finalScore: replay.finalScore, ticks: replay.ticks });
    });

    it(`${name}: a changed bit of the score, ticks, reason or seed is named`, async () => {
      for (let bit = 0; bit < 31; bit++) {
        expect(await withReplay({ finalScore: replay.finalScore ^ (1 << bit) }), `score bit ${bit}`).to.include(
          "finalScore",
        );
        const fields = (await withReplay({ ticks: replay.ticks ^ (1 << bit) })).join();
        // Too many ticks are reported directly. With too few, the run does not reach the claimed end.
        expect(fields, `ticks bit ${bit}`).to.match(
          replay.ticks & (1 << bit) ? /inputs|endReason|ticks|pauses/ : /ticks|inputs/,
        );
      }
      for (let bit = 0; bit < 8 * replay.endReason.length; bit++) {
        const bytes = Buffer.from(replay.endReason);
        bytes[bit >> 3]! ^= 1 << (bit & 7);
        const endReason = bytes.toString("latin1") as Replay["endReason"];
        expect(await withReplay({ endReason }), endReason).to.include("endReason");
      }
      for (let bit = 0; bit < 256; bit += 3) {
        expect(await withReplay({ seed: flipHexBit(replay.seed, bit) }), `seed bit ${bit}`).to.include("seed");
      }
    });

    it(`${name}: a changed bit of any input is named by the digest, and by the input or the run where that changes`, async () => {
      let derived = 0;
      for (const [i, [tick, code]] of replay.inputs.entries()) {
        for (const input of [
          [tick ^ 1, code],
          [tick ^ 64, code],
          [tick, code ^ 1],
          [tick, code ^ 8],
        ] as const) {
          const fields = await withReplay({ inputs: replay.inputs.with(i, input) });
          expect(fields, `input ${i} as ${input}`).to.include("replayDigest");
          // A change without effect, such as the same turn a tick earlier in a grid, is found only by the digest.
          if (fields.some((field) => /^(inputs|finalScore|ticks|endReason)/.test(field))) derived += 1;
        }
      }
      expect(derived, "changes that the run shows").to.be.above(replay.inputs.length);
    });

    it(`${name}: no single bit of the file can be changed unnoticed`, async () => {
      const text = JSON.stringify(replay);
      for (let at = 0; at < text.length; at += 3) {
        const bytes = Buffer.from(text);
        bytes[at]! ^= 1 << (at % 7);
        let changed: Replay;
        try {
          changed = JSON.parse(bytes.toString("utf8"));
        } catch {
          continue;
        }
        const verification = await getDifferingFields({ replay: changed, claims }).catch((error: unknown) => {
          throw new Error(`a verdict was expected for ${bytes.toString("latin1")}`, { cause: error });
        });
        expect(verification, bytes.toString("latin1").slice(Math.max(0, at - 20), at + 20)).not.to.deep.equal([]);
      }
    });
  }
});

describe("200 recorded sessions", () => {
  const rulesVersions = versions;
  const sessions = Array.from({ length: 200 }, (_, n) => {
    const game = rulesVersions[n % rulesVersions.length]!;
    const bot = n % 4 < 2 ? game.bots.random(n) : (game.bots.quick ?? game.bots.reference)(3000 + 100 * n);
    return recordSession({
      game,
      seedNumber: n + 1,
      bot,
      ...(n % 5 === 0 ? { pauseAt: [30, 60] } : {}),
      ...(n % 7 === 0 ? { exitAt: 90 } : {}),
    });
  });

  it("are derived again, equal, by another process", async () => {
    expect(await verifyInOtherProcess(sessions)).to.deep.equal(sessions.map(() => []));
    expect(new Set(sessions.map(({ replay }) => replay.endReason)))
      .to.include("lives_lost")
      .and.include("exit");
  });

  it("are all rejected with one bit changed in log, seed, score, ticks or reason", async () => {
    const changes: ((replay: Replay, n: number) => Partial<Replay>)[] = [
      ({ seed }, n) => ({ seed: flipHexBit(seed, (n * 37) % 256) }),
      ({ finalScore }, n) => ({ finalScore: finalScore ^ (1 << (n % 20)) }),
      ({ ticks }, n) => ({ ticks: ticks ^ (1 << (n % 12)) }),
      ({ endReason }) => ({ endReason: endReason === "exit" ? "lives_lost" : "exit" }),
      ({ inputs }, n) =>
        inputs.length === 0
          ? { inputs: [[1, 1]] }
          : { inputs: inputs.with(n % inputs.length, flipInputBit(inputs[n % inputs.length]!, n)) },
    ];
    const tampered = sessions.flatMap(({ replay, claims }, n) =>
      changes.map((change) => ({ replay: { ...replay, ...change(replay, n) }, claims })),
    );
    const differences = await verifyInOtherProcess(tampered);
    expect(differences).to.have.length(1000);
    expect(differences.filter((fields) => fields.length === 0)).to.have.length(0);
  });
});

const flipInputBit = ([tick, code]: readonly [number, number], n: number): readonly [number, number] =>
  n % 2 === 0 ? [tick ^ (1 << (n % 8)), code] : [tick, code ^ (1 << (n % 3))];

describe("a session of the third game", () => {
  it("is recorded and derived like any other", async () => {
    const game = games.at(-1)!;
    const { replay, claims } = recordSession({ game, seedNumber: 1, bot: game.bots.quick!(20_000), pauseAt: [50] });
    const rules = (await import("../fixtures/games.ts")).getRules;
    expect((await verifyReplay(replay, { ...claims, getRules: rules })).differences).to.deep.equal([]);
    expect((await verifyReplay(replay, claims)).differences.map(({ field }) => field)).to.include("rulesVersion");
  });
});
