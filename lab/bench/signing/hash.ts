/** P2: the digest of a payload, as hex. */
import { TypedDataEncoder } from "ethers";
import { hashTypedData as viemHash } from "viem";
import { hashTypedData } from "../../../backend/adapters/signer/hash-typed-data.ts";
import { toHex } from "../../../backend/adapters/signer/keccak.ts";
import type { TypedData } from "../../../domain/typed-data/messages.ts";
import { createIdleOperation, createOperationSide } from "../compare/operations.ts";
import type { Bar, Row } from "../compare/types.ts";
import { PAYLOADS, precompute } from "./payloads.ts";

/** ethers rejects the type of the domain among the types. */
export const toEthersTypes = ({ types: { EIP712Domain: _, ...types } }: TypedData) =>
  types as Record<string, { name: string; type: string }[]>;

const BARS: { readonly [payload: string]: readonly Bar[] } = {
  Snapshot: [
    { against: "viem", times: 30 },
    { against: "ethers", times: 45 },
  ],
};

function createHashRow(name: string, make: (n: number) => TypedData, rounds: number): Row {
  const payload = precompute(make);
  const ethersPayload = precompute((n) => ({ ...make(n), types: toEthersTypes(make(n)) }));
  const ours = (n: number): string => toHex(hashTypedData(payload(n)));
  const viem = (n: number): string => viemHash(payload(n) as never);
  const ethers = (n: number): string => {
    const { domain, types, message } = ethersPayload(n);
    return TypedDataEncoder.hash(domain, types, message);
  };
  const isRight = (n: number, digest: string): boolean => digest === viem(n) && digest === ours(n);
  return {
    id: "P2",
    what: `hash of a ${name}`,
    rounds,
    figure: { name: "CPU for each digest", unit: "us", better: "lower" },
    sides: [
      createOperationSide({ name: "Agent Arcade", operate: ours, isRight }),
      createOperationSide({ name: "viem", operate: viem, isRight }),
      createOperationSide({ name: "ethers", operate: ethers, isRight }),
    ],
    idle: createIdleOperation(isRight),
    bars: BARS[name] ?? [],
  };
}

export const createHashRows = (rounds: number): readonly Row[] =>
  Object.entries(PAYLOADS).map(([name, make]) => createHashRow(name, make, rounds));
