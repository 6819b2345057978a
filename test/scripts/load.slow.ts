import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { FrameTimes, Histogram } from "../../scripts/load/measure.ts";
import { command as load } from "../../scripts/load.ts";
import { callCommand } from "../helpers/commands.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";

/** No bound on times: the machine that runs tests may be busy. */
const PATIENT = ["--late-ms", "60000", "--answer-ms", "60000"];

describe("npm run load", () => {
  let stack: TestStack;
  afterEach(() => stack?.close());

  it("plays and watches simultaneously, and reports times, bytes and a good verdict", async () => {
    stack = await startTestStack({ env: { ARCADE_RATE_LIMITS: "off" } });
    const args = ["--url", stack.httpUrl, "--agents", "3", "--spectators", "4", "--minutes", "0.05", ...PATIENT];
    const { code, json, err } = await callCommand(load, [...args, "--json"]);
    expect(json.errors, err).to.deep.equal({});
    expect(json.verdict).to.deep.equal({ ok: true, reasons: [] });
    expect(code).to.equal(0);
    expect(json).to.include({ agents: 3, spectators: 4, seconds: 3 });
    expect(json.sessions).to.be.at.least(3);
    expect(json.frames.sockets, "players and viewers that received frames").to.be.at.least(3 + 4);
    expect(json.frames.received).to.be.greaterThan(json.frames.sockets);
    expect(json.lateness.count).to.equal(json.frames.received);
    expect(json.answers.count).to.be.at.least(3 + 4 + 2);
    expect(json.bytes.received).to.be.greaterThan(100 * json.frames.received);
    expect(json.service.count).to.be.greaterThan(0);
    const { body } = await stack.request("GET", "/status");
    const running = body.games.reduce((sum: number, game: { sessions: number }) => sum + game.sessions, 0);
    expect(running, "sessions left behind").to.equal(0);
  });

  it("plays ranked sessions of wallets with an identity, without measuring their preparation", async () => {
    stack = await startTestStack({ env: { ARCADE_RATE_LIMITS: "off" } });
    const args = ["--url", stack.httpUrl, "--ranked", "--agents", "2", "--spectators", "2", "--minutes", "0.05"];
    const { code, json, err } = await callCommand(load, [...args, ...PATIENT, "--json"], {
      ARCADE_DATA_DIR: stack.dataDir,
    });
    expect(json?.errors, err).to.deep.equal({});
    expect(code).to.equal(0);
    expect(json).to.include({ agents: 2, ranked: true });
    expect(json.frames.sockets).to.be.at.least(2 + 2);
    // Practice does not count in the figures. A session counts once it is stored.
    const readSummary = async () => (await stack.request("GET", "/api/stats/summary")).body;
    while ((await readSummary()).sessions < json.sessions) await nextTurn();
    expect(await readSummary()).to.include({ sessions: json.sessions, players: 2 });
    // At least two starts and two ends, without the earlier mints and sign-ins.
    expect(json.answers.count).to.be.within(4, 60);
    const again = await callCommand(load, [...args, ...PATIENT, "--json"], { ARCADE_DATA_DIR: stack.dataDir });
    expect(again.json?.errors, again.err).to.deep.equal({});
  });

  it("counts errors by code, and its verdict is then not good", async () => {
    stack = await startTestStack({ env: { ARCADE_RATE_LIMITS: "on" } });
    const args = ["--url", stack.httpUrl, "--agents", "4", "--minutes", "0.03", ...PATIENT];
    const { code, json, err } = await callCommand(load, [...args, "--json"]);
    expect(code, err).to.equal(1);
    // One address may play two practice sessions at once.
    expect(json.errors.RATE_LIMITED).to.be.at.least(2);
    expect(json.verdict.ok).to.equal(false);
    expect(json.verdict.reasons.join()).to.include("x RATE_LIMITED");
  });

  it("rejects invalid times and numbers", async () => {
    for (const args of [
      ["--minutes", "0"],
      ["--minutes", "soon"],
      ["--agents", "0"],
      ["--url", "arcade"],
    ])
      expect((await callCommand(load, args)).code, args.join(" ")).to.equal(2);
  });
});

describe("the measurement of a load run", () => {
  it("has quantiles within a fiftieth of the value", () => {
    const histogram = new Histogram();
    for (let value = 1; value <= 1000; value++) histogram.record(value);
    expect(histogram.getQuantileMs(0.5)).to.be.within(500, 511);
    expect(histogram.getQuantileMs(0.99)).to.be.within(990, 1000);
    expect(histogram.toFigures()).to.include({ count: 1000, maxMs: 1000 });
    expect(new Histogram().toFigures()).to.deep.equal({ count: 0, p50Ms: 0, p99Ms: 0, maxMs: 0 });
  });

  it("measures a frame against the most punctual one, and finds missed ones", () => {
    const lateness = new Histogram();
    const times = new FrameTimes(lateness);
    const frame = (tick: number, phase = "running") => ({ tick, tMs: tick * 50, phase });
    for (const [tick, nowMs] of [
      [1, 1050],
      [2, 1100],
      [3, 1180],
      [6, 1300],
    ] as const)
      times.record(frame(tick), nowMs);
    expect(times).to.include({ frames: 4, missed: 2 });
    expect(lateness.toFigures().maxMs).to.be.closeTo(30, 0.01);
    times.record(frame(6, "paused"), 5000);
    times.record(frame(7), 9000);
    expect(times).to.include({ frames: 5, missed: 2 });
    expect(lateness.toFigures().maxMs).to.be.closeTo(30, 0.01);
  });
});
