/**
 * `npm run bench -- ws`: fan-out (P7), sessions per core (P8), tick isolation (P9) and compact frames (P11), with naive
 * `ws`, Colyseus and socket.io beside it in the same run. Prints the tables of docs/benchmarks.md.
 */
import { cpus, loadavg } from "node:os";
import { CompactEncoder, compactFrame } from "../backend/domain/compact-encode.ts";
import { games } from "../backend/games/index.ts";
import { codesOf, seedOf, toPlayFrame } from "../test/games/helpers.ts";
import { Driver, median } from "./ws/driver.ts";
import { makeSession } from "./ws/side.ts";

const SIDES = ["arcade", "naive", "colyseus", "socket.io"] as const;
const load = (): string =>
  loadavg()
    .map((value) => value.toFixed(1))
    .join(" ");
const ratio = (ours: number, theirs: number): string => (ours / theirs).toFixed(2);

async function fanOut(viewers: number, sessions: number, rounds: number): Promise<void> {
  const drivers = [];
  for (const side of SIDES) {
    const driver = await Driver.start(side);
    await driver.open(sessions, 20, viewers);
    await driver.measure(500);
    driver.freeze();
    drivers.push({ driver, us: [] as number[], bytes: 0 });
  }
  try {
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? drivers : [...drivers].reverse();
      for (const one of order) {
        const { cpuMs, ticks, received } = await one.driver.measure(2000);
        one.driver.freeze();
        one.us.push((cpuMs * 1000) / (ticks * viewers));
        one.bytes = received / (ticks * viewers);
      }
    }
    const [ours] = drivers;
    for (const { driver, us, bytes } of drivers) {
      const size = driver.name === "colyseus" ? "" : `${bytes.toFixed(0)} bytes`;
      const own = median(us);
      console.log(
        `| P7 | ${viewers} viewers x ${sessions} sessions, 20 Hz | ${driver.name} | ${own.toFixed(1)} us a frame | ${ratio(median(ours!.us), own)} | ${size} |`,
      );
    }
  } finally {
    for (const { driver } of drivers) await driver.stop();
  }
}

/** The most sessions with one viewer each whose ticks are at most a quarter of a tick late in 99 of 100. */
async function capacity(side: string, tickHz: number): Promise<{ sessions: number; cpuUs: number; rateError: number }> {
  const driver = await Driver.start(side);
  const best = { sessions: 0, cpuUs: 0, rateError: 0 };
  try {
    let open = 0;
    for (let wanted = Math.round(4000 / tickHz); wanted < 3000; wanted = Math.round(wanted * 1.5)) {
      await driver.open(wanted - open, tickHz, 1);
      open = wanted;
      let measured = await driver.measure(1500);
      // Other work on the machine may disturb one window: a side is asked twice before it has failed.
      if (measured.p99LateMs >= 250 / tickHz) measured = await driver.measure(1500);
      if (measured.p99LateMs >= 250 / tickHz) break;
      best.sessions = wanted;
      best.cpuUs = (measured.cpuMs * 1000) / measured.ticks;
      best.rateError = measured.ticks / (wanted * tickHz * measured.seconds) - 1;
    }
  } finally {
    await driver.stop();
  }
  return best;
}

async function isolation(): Promise<void> {
  const driver = await Driver.start("arcade");
  try {
    await driver.open(300, 30, 1);
    const runs = { none: [] as number[], service: [] as number[], in_process: [] as number[] };
    for (let round = 0; round < 5; round++) {
      for (const crypto of ["none", "service", "in_process"] as const) {
        const measured = await driver.measure(1500, crypto);
        runs[crypto].push(measured.p99LateMs);
        if (round === 0 && crypto === "service") {
          console.log(
            `(P9: ${Math.round(measured.signatures / measured.seconds)} signatures and ${Math.round(measured.signIns / measured.seconds)} sign-ins a second reached)`,
          );
        }
      }
    }
    const idle = median(runs.none);
    for (const [crypto, values] of Object.entries(runs)) {
      console.log(
        `| P9 | 300 sessions, 30 Hz | crypto: ${crypto} | p99 ${median(values).toFixed(2)} ms late | ${(median(values) / idle).toFixed(2)} | |`,
      );
    }
  } finally {
    await driver.stop();
  }
}

function compact(): void {
  for (const game of games) {
    const encoder = new CompactEncoder();
    const bot = game.bots.reference();
    const state = game.init(seedOf(1), game.tickHz);
    let json = 0;
    let bytes = 0;
    let frames = 0;
    while (!state.over) {
      const frame = toPlayFrame(game, state);
      game.step(state, codesOf(game, bot(frame)));
      frames += 1;
      json += Buffer.byteLength(JSON.stringify({ t: "frame", frame }));
      bytes += compactFrame(encoder.encode(frame), 0).length;
    }
    bytes += JSON.stringify(encoder.entries()).length;
    console.log(
      `| P11 | ${game.slug}, a whole run | compact | ${(bytes / frames).toFixed(0)} bytes a frame | ${(bytes / json).toFixed(3)} | JSON ${(json / frames).toFixed(0)} bytes |`,
    );
  }
  const next = makeSession(1, 20);
  const frames = Array.from({ length: 2000 }, () => (next() as { frame: object }).frame);
  const encoder = new CompactEncoder();
  const times = { json: [] as number[], compact: [] as number[] };
  for (let round = 0; round < 10; round++) {
    let startedMs = performance.now();
    for (const frame of frames) JSON.stringify(frame);
    times.json.push(performance.now() - startedMs);
    startedMs = performance.now();
    for (const frame of frames) compactFrame(encoder.encode(frame), 0);
    times.compact.push(performance.now() - startedMs);
  }
  const [ours, theirs] = [median(times.compact) / 2, median(times.json) / 2];
  console.log(
    `| P11 | encoding, once a tick | compact | ${ours.toFixed(1)} us | ${ratio(ours, theirs)} | JSON.stringify ${theirs.toFixed(1)} us |`,
  );
}

export async function run(): Promise<void> {
  console.log(
    `${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores, Node ${process.version}, load at start ${load()}`,
  );
  console.log("\n| # | what | side | figure (median) | ours to it | note |\n|---|---|---|---|---|---|");
  compact();
  await fanOut(4, 100, 5);
  await fanOut(20, 25, 5);
  await isolation();
  for (const tickHz of [20, 30, 60]) {
    const found = [];
    for (const side of ["arcade", "naive", "colyseus"]) found.push({ side, ...(await capacity(side, tickHz)) });
    for (const { side, sessions, cpuUs, rateError } of found) {
      console.log(
        `| P8 | sessions a core, ${tickHz} Hz | ${side} | ${sessions} sessions | ${ratio(found[0]!.sessions, sessions)} | ${cpuUs.toFixed(0)} us CPU a tick, rate ${(rateError * 100).toFixed(2)} % |`,
      );
    }
  }
  console.log(`\nload at end ${load()}`);
}
