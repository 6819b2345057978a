import type { Address, Hex } from "viem";
import { ArcadeError } from "../../domain/errors.ts";
import { type Call, type CallName, createCall } from "../../domain/typed-data/calls.ts";
import { createTypedData, type PrimaryType, type TypedData } from "../../domain/typed-data/messages.ts";
import type { ChainReader, Fresh } from "../ports/chain.ts";
import type { SigningStore } from "../ports/store/chain.ts";
import type { Clock, Log, SignerRole, Signers } from "../ports/system.ts";

export interface SigningRequest {
  readonly role: SignerRole;
  readonly primaryType: PrimaryType;
  readonly verifyingContract: Address;
  readonly slug?: string;
  /** Identifies the subject of the facts; different facts under the same key are never signed. */
  readonly key: string;
  /** The message without its deadline, numbers as decimal strings. */
  readonly facts: { readonly [field: string]: unknown };
  /** What was read of the chain for this message; its validity counts from their block. */
  readonly reads: readonly [Fresh<unknown>, ...Fresh<unknown>[]];
  /** The parts of a batch, recorded under the keys that each would have alone. */
  readonly batchItems?: readonly {
    readonly primaryType: PrimaryType;
    readonly key: string;
    readonly facts: { readonly [field: string]: unknown };
  }[];
  /** Counted from the earliest possible time of the next block. */
  readonly ttlSeconds: number;
  /** A deadline that the caller asked for and that was checked; unix seconds. */
  readonly deadline?: bigint;
  readonly functionName: CallName;
  /** The call's arguments around deadline and signature, which come last. */
  readonly args: readonly unknown[];
}

/** A signed message with the call that hands it to its contract. */
export interface SignedCall {
  readonly signature: Hex;
  readonly digest: Hex;
  /** Unix seconds. */
  readonly deadline: string;
  readonly verifyingContract: Address;
  readonly typedData: TypedData;
  readonly call: Call;
}

interface SignedCallPorts {
  readonly signings: SigningStore;
  readonly signers: Signers;
  /** Keccak-256 of the canonical JSON (`digestJson`). */
  readonly hashJson: (value: unknown) => Hex;
  readonly chain: Pick<ChainReader, "deployment">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Until when the signature of a request is valid; unix seconds. */
export function getDeadline({ deadline, reads, ttlSeconds }: SigningRequest): bigint {
  const times = reads.map(({ at }) => at.nextTimestamp);
  return deadline ?? BigInt(Math.min(...times) + ttlSeconds);
}

/** Prepares every call that a role signs: the facts are recorded, then signed, then returned with the call. */
export class SignedCalls {
  readonly #ports: SignedCallPorts;

  constructor(ports: SignedCallPorts) {
    this.#ports = ports;
  }

  /** `storeWith`: stored with the record, in the same commit; if it fails, nothing is signed. */
  async prepare(
    request: SigningRequest,
    storeWith: () => Promise<unknown> = async () => undefined,
  ): Promise<SignedCall> {
    const { chain, signers } = this.#ports;
    const { chainId } = chain.deployment;
    const { primaryType, verifyingContract, facts, key, slug } = request;
    const parts = [...(request.batchItems ?? []), { primaryType, key, facts }];
    // safeguard: store-document-with-signature
    await Promise.all([storeWith(), ...parts.map((part) => this.#recordSigning(verifyingContract, part))]);
    const deadline = getDeadline(request);
    const typedData = createTypedData(
      primaryType,
      { chainId, verifyingContract, ...(slug === undefined ? {} : { slug }) },
      { ...facts, deadline: deadline.toString() },
    );
    const { signature, digest } = await signers(request.role).sign(typedData);
    const args = [...request.args, deadline.toString(), signature];
    return {
      signature,
      digest,
      deadline: deadline.toString(),
      verifyingContract,
      typedData,
      call: createCall(chainId, verifyingContract, request.functionName, args),
    };
  }

  /** The record is stored before the signature is made, so that a crash between them leaves no unknown signature. */
  async #recordSigning(
    verifyingContract: Address,
    { primaryType, key, facts }: Pick<SigningRequest, "primaryType" | "key" | "facts">,
  ): Promise<void> {
    const { signings, hashJson, chain, clock, log } = this.#ports;
    const { chainId } = chain.deployment;
    const payloadHash = hashJson({ chainId, verifyingContract, primaryType, facts });
    const kind = `${primaryType}:${verifyingContract}`;
    // safeguard: record-before-signing
    if ((await signings.record({ kind, key, payloadHash, atMs: clock.nowMs() })) === "recorded") return;
    log.error({ kind, key, payloadHash }, "refused to sign other facts under a key that was signed before");
    throw new ArcadeError(
      "INTERNAL",
      "These facts differ from what was signed before under the same key; the server has logged this for the operator.",
    );
  }
}
