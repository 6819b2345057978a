import { keccak256, stringToBytes } from "viem";
import { type CallName, makeCall } from "../domain/calls.ts";
import { ArcadeError } from "../domain/errors.ts";
import { canonicalJson } from "../domain/replay.ts";
import { makeTypedData, type PrimaryType } from "../domain/typed-data.ts";
import type { Address, ChainReader, Clock, Log, SignerDuty, Signers, SigningStore } from "../ports.ts";

export interface SigningRequest {
  readonly duty: SignerDuty;
  readonly primaryType: PrimaryType;
  readonly verifyingContract: Address;
  readonly slug?: string;
  /** What the facts are about; the same key is never signed with other facts. */
  readonly key: string;
  /** The message without its deadline, numbers as decimal strings. */
  readonly facts: { readonly [field: string]: unknown };
  /** A batch: what each part would be signed as alone, written down under the same keys. */
  readonly singles?: readonly {
    readonly primaryType: PrimaryType;
    readonly key: string;
    readonly facts: { readonly [field: string]: unknown };
  }[];
  /** Seconds from the latest block's time. */
  readonly ttlSeconds: number;
  /** A deadline the caller asked for, checked already. */
  readonly deadline?: bigint;
  readonly functionName: CallName;
  /** The call's arguments around deadline and signature, which come last. */
  readonly args: readonly unknown[];
}

interface SignedCallPorts {
  readonly signings: SigningStore;
  readonly signers: Signers;
  readonly chain: ChainReader;
  readonly clock: Clock;
  readonly log: Log;
}

export type SignedCalls = ReturnType<typeof makeSignedCalls>;

/** Prepares every on-chain call the same way: written down first, then signed, then answered as one block. */
export function makeSignedCalls({ signings, signers, chain, clock, log }: SignedCallPorts) {
  const { chainId } = chain.deployment;

  /** The record comes before the signature, so that a crash between them never leaves an unknown signature behind. */
  async function writeDown(
    verifyingContract: Address,
    part: Pick<SigningRequest, "primaryType" | "key" | "facts">,
  ): Promise<void> {
    const { primaryType, key, facts } = part;
    const payloadHash = keccak256(stringToBytes(canonicalJson({ chainId, verifyingContract, primaryType, facts })));
    const kind = `${primaryType}:${verifyingContract}`;
    if ((await signings.record({ kind, key, payloadHash, atMs: clock.nowMs() })) === "recorded") return;
    log.error({ kind, key, payloadHash }, "refused to sign other facts under a key that was signed before");
    throw new ArcadeError(
      "INTERNAL",
      "These facts differ from what was signed before under the same key; the operator has been told.",
    );
  }

  return async function prepare(request: SigningRequest) {
    const { primaryType, verifyingContract, facts, key } = request;
    for (const part of [...(request.singles ?? []), { primaryType, key, facts }])
      await writeDown(verifyingContract, part);
    const deadline = request.deadline ?? BigInt((await chain.head()).timestamp + request.ttlSeconds);
    const typedData = makeTypedData(
      primaryType,
      { chainId, verifyingContract, ...(request.slug === undefined ? {} : { slug: request.slug }) },
      { ...facts, deadline: deadline.toString() },
    );
    const { signature, digest } = await signers(request.duty).sign(typedData);
    const args = [...request.args, deadline.toString(), signature];
    return {
      signature,
      digest,
      deadline: deadline.toString(),
      verifyingContract,
      typedData,
      call: makeCall(chainId, verifyingContract, request.functionName, args),
    };
  };
}
