/** One side in a process of its own, told what to do over IPC. `node server.ts SIDE`. */
import { hashMessage } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createLocalSigner } from "../../backend/adapters/signer/index.ts";
import type { Worker } from "../../backend/ports.ts";
import type { Side } from "./side.ts";

export type Order =
  | {
      readonly order: "open";
      readonly count: number;
      readonly tickHz: number;
      readonly viewers: number;
      readonly compact: boolean;
    }
  | { readonly order: "begin"; readonly crypto: "none" | "service" | "in_process" }
  | { readonly order: "end" };

export interface Measured {
  readonly cpuMs: number;
  /** The kernel's part of `cpuMs`. */
  readonly systemMs: number;
  readonly ticks: number;
  readonly seconds: number;
  /** How much longer than its period the time between two ticks of a session was. */
  readonly p99LateMs: number;
  /** By how much the rate of all sessions' ticks was off, from the first tick of each to its last: -0.01 is 1 % slow. */
  readonly rateError: number;
  readonly signatures: number;
  readonly signIns: number;
}

const STARTS: {
  readonly [side: string]: (onTick: (n: number) => void) => Promise<Side & { readonly worker?: Worker }>;
} = {
  arcade: async (onTick) => (await import("./arcade.ts")).startArcade(onTick),
  naive: async (onTick) => (await import("./naive.ts")).startNaive(onTick),
  corrected: async (onTick) => (await import("./naive.ts")).startNaive(onTick, true),
  floor: async (onTick) => (await import("./floor.ts")).startFloor(onTick),
  colyseus: async (onTick) => (await import("./colyseus.ts")).startColyseus(onTick),
  "socket.io": async (onTick) => (await import("./socketio.ts")).startSocketIo(onTick),
};

/** Of each session in this window: its first tick, its last one, and how many periods lie between. */
let firstMs: number[] = [];
let lastMs: number[] = [];
let periods = 0;
let periodMs = 50;
let late: number[] = [];
let ticks = 0;
const side = await STARTS[process.argv[2]!]!((n) => {
  const nowMs = performance.now();
  ticks += 1;
  const before = lastMs[n];
  if (before === undefined) firstMs[n] = nowMs;
  else {
    late.push(Math.max(0, nowMs - before - periodMs));
    periods += 1;
  }
  lastMs[n] = nowMs;
});

let cpu = process.cpuUsage();
let startedMs = 0;
let stopCrypto: () => { signatures: number; signIns: number } = () => ({ signatures: 0, signIns: 0 });

/** 1,000 signatures and 200 sign-ins a second, a hundredth of them every 10 ms. */
function startCrypto(where: "none" | "service" | "in_process"): typeof stopCrypto {
  if (where === "none") return () => ({ signatures: 0, signIns: 0 });
  const account = privateKeyToAccount(generatePrivateKey());
  const signer = createLocalSigner(generatePrivateKey());
  const message = "Sign in to Agent Arcade";
  const typedData = {
    domain: { name: "RewardsV2", version: "1", chainId: 31337, verifyingContract: account.address },
    types: {
      ScoreSnapshot: [
        { name: "wallet", type: "address" },
        { name: "score", type: "uint256" },
        { name: "hash", type: "bytes32" },
      ],
    },
    primaryType: "ScoreSnapshot",
    message: { wallet: account.address, score: "420", hash: hashMessage(message) },
  } as never;
  const done = { signatures: 0, signIns: 0 };
  const signed = account.signMessage({ message });
  const timer = setInterval(async () => {
    for (let i = 0; i < 10; i++) void signer.sign(typedData).then(() => (done.signatures += 1));
    const signature = await signed;
    for (let i = 0; i < 2; i++) {
      if (where === "service") void side.worker!.recoverMessage(message, signature).then(() => (done.signIns += 1));
      else
        void import("viem")
          .then(({ recoverMessageAddress }) => recoverMessageAddress({ message, signature }))
          .then(() => (done.signIns += 1));
    }
  }, 10);
  return () => {
    clearInterval(timer);
    return done;
  };
}

process.on("message", async (order: Order) => {
  if (order.order === "open") {
    periodMs = 1000 / order.tickHz;
    const tickets = [];
    for (let i = 0; i < order.count; i++) {
      tickets.push(...(await side.open(order.tickHz, order.viewers, order.compact)));
      // Sessions begin at moments of their own, as players do.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
    }
    process.send!({ tickets });
  } else if (order.order === "begin") {
    stopCrypto = startCrypto(order.crypto);
    firstMs = [];
    lastMs = [];
    periods = 0;
    late = [];
    ticks = 0;
    cpu = process.cpuUsage();
    startedMs = performance.now();
    process.send!({ begun: true });
  } else {
    const { user, system } = process.cpuUsage(cpu);
    late.sort((a, b) => a - b);
    let spanMs = 0;
    for (const n in lastMs) spanMs += lastMs[n]! - firstMs[n]!;
    const measured: Measured = {
      cpuMs: (user + system) / 1000,
      systemMs: system / 1000,
      ticks,
      seconds: (performance.now() - startedMs) / 1000,
      p99LateMs: late[Math.floor(late.length * 0.99)] ?? 0,
      rateError: (periods * periodMs) / spanMs - 1,
      ...stopCrypto(),
    };
    process.send!({ measured });
  }
});
process.on("disconnect", () => process.exit(0));
process.send!({ ready: true });
