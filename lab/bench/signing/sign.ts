/** P1: from typed arguments to 65 bytes of hex, in one thread. */
import { Wallet } from "ethers";
import { privateKeyToAccount } from "viem/accounts";
import { type Ecdsa, loadNative, loadWasm } from "../../../backend/adapters/signer/ecdsa.ts";
import { createLocalSigner } from "../../../backend/adapters/signer/local.ts";
import type { TypedData } from "../../../domain/typed-data/messages.ts";
import { createIdleOperation, createOperationSide } from "../compare/operations.ts";
import type { Bar, Row, Side } from "../compare/types.ts";
import { createSnapshot, precompute } from "./payloads.ts";

const PRIVATE_KEY = `0x${"42".repeat(32)}` as const;
const BARS: { readonly [build in Ecdsa["build"]]: readonly Bar[] } = {
  wasm: [{ against: "viem", times: 5 }],
  native: [{ against: "viem", times: 11 }],
};

const payload = precompute(createSnapshot);
const account = privateKeyToAccount(PRIVATE_KEY);
const signWithViem = (n: number): Promise<string> => account.signTypedData(payload(n) as never);
/** Deterministic nonces (RFC 6979): every library has the same bytes. */
const isRight = async (n: number, signature: string): Promise<boolean> => signature === (await signWithViem(n));

/** ethers rejects the type of the domain among the types. */
const toEthersTypes = ({ types: { EIP712Domain: _, ...types } }: TypedData) =>
  types as Record<string, { name: string; type: string }[]>;

function createPeers(): readonly Side[] {
  const wallet = new Wallet(PRIVATE_KEY);
  const operate = (n: number): Promise<string> =>
    wallet.signTypedData(payload(n).domain, toEthersTypes(payload(n)), payload(n).message);
  return [
    createOperationSide({ name: "viem", operate: signWithViem, isRight }),
    createOperationSide({ name: "ethers", operate, isRight }),
  ];
}

function createSignRow(build: Ecdsa, rounds: number): Row {
  const signer = createLocalSigner(PRIVATE_KEY, build);
  const ours = createOperationSide({
    name: "Agent Arcade",
    operate: async (n) => (await signer.sign(payload(n))).signature as string,
    isRight,
  });
  return {
    id: "P1",
    what: `sign a Snapshot, ${build.build === "wasm" ? "WebAssembly" : "native addon"}`,
    rounds,
    figure: { name: "CPU for each signature", unit: "us", better: "lower" },
    sides: [ours, ...createPeers()],
    idle: createIdleOperation(isRight),
    bars: BARS[build.build],
  };
}

/** A row for each build that loads on this machine. */
export async function createSignRows(rounds: number): Promise<readonly Row[]> {
  const native = loadNative();
  return [await loadWasm(), ...(native === null ? [] : [native])].map((build) => createSignRow(build, rounds));
}
