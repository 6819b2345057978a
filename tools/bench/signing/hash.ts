/** P2: the digest of a payload, as hex. */
import { TypedDataEncoder } from "ethers";
import { hashTypedData as viemHash } from "viem";
import { hashTypedData } from "../../../backend/adapters/signer/hash-typed-data.ts";
import { toHex } from "../../../backend/adapters/signer/keccak.ts";
import type { TypedData } from "../../../backend/domain/typed-data/messages.ts";
import { PAYLOADS, precompute } from "./payloads.ts";
import type { Row } from "./rounds.ts";

/** ethers rejects the type of the domain among the types. */
export const toEthersTypes = ({ types: { EIP712Domain: _, ...types } }: TypedData) =>
  types as Record<string, { name: string; type: string }[]>;

export const createHashRows = (): readonly (readonly Row[])[] =>
  Object.entries(PAYLOADS).map(([what, make]) => {
    const payload = precompute(make);
    const ethersPayload = precompute((n) => ({ ...make(n), types: toEthersTypes(make(n)) }));
    const ours = (n: number) => toHex(hashTypedData(payload(n)));
    const viem = (n: number) => viemHash(payload(n) as never);
    const ethers = (n: number) => {
      const { domain, types, message } = ethersPayload(n);
      return TypedDataEncoder.hash(domain, types, message);
    };
    if (ours(1) !== viem(1) || ours(1) !== ethers(1)) throw new Error(`The digests of ${what} differ`);
    const row = { id: "P2", what: `hash, ${what}` } as const;
    return [
      { ...row, side: "Agent Arcade", work: ours },
      { ...row, side: "viem", work: viem },
      { ...row, side: "ethers", work: ethers },
    ];
  });
