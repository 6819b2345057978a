import {
  type Abi,
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  type PublicClient,
  zeroHash,
} from "viem";
import { loadArtifact } from "../artifacts.ts";

const MAX_REPEATS = 256;
/** `OperationState` of OpenZeppelin's TimelockController. */
const STATES = ["unset", "waiting", "ready", "done"] as const;

export interface PlainCall {
  readonly to: Address;
  readonly data: Hex;
}

/** A batch of calls through a timelock, as its proposer and its executor send it. */
export interface TimelockOperation {
  readonly id: Hex;
  readonly salt: Hex;
  readonly delaySeconds: number;
  /** `unset`: not scheduled yet. */
  readonly state: "unset" | "waiting" | "ready";
  /** Unix seconds from which it can be executed; null if it is not scheduled. */
  readonly readyAt: number | null;
  /** Whether the same batch was executed before. */
  readonly isRepeated: boolean;
  readonly schedule: PlainCall;
  readonly execute: PlainCall;
}

/** Id of a batch (`hashOperationBatch`). */
const hashBatch = (calls: readonly PlainCall[], salt: Hex): Hex =>
  keccak256(
    encodeAbiParameters(
      [{ type: "address[]" }, { type: "uint256[]" }, { type: "bytes[]" }, { type: "bytes32" }, { type: "bytes32" }],
      [calls.map(({ to }) => to), calls.map(() => 0n), calls.map(({ data }) => data), zeroHash, salt],
    ),
  );

/**
 * The operation that makes `calls` through the timelock. A batch that was executed before gets another salt; a
 * scheduled one keeps its salt, so that the same command shows how to execute it.
 */
export async function describeTimelockOperation(
  client: PublicClient,
  timelock: Address,
  calls: readonly PlainCall[],
): Promise<TimelockOperation> {
  const abi = (await loadArtifact("TimelockController")).abi as Abi;
  const read = async (functionName: string, args: readonly unknown[] = []): Promise<unknown> =>
    client.readContract({ address: timelock, abi, functionName, args });
  const delaySeconds = Number(await read("getMinDelay"));
  for (let repeat = 0; repeat < MAX_REPEATS; repeat++) {
    const salt = numberToHex(repeat, { size: 32 });
    const id = hashBatch(calls, salt);
    const state = STATES[Number(await read("getOperationState", [id]))]!;
    if (state === "done") continue;
    const batch = [calls.map(({ to }) => to), calls.map(() => 0n), calls.map(({ data }) => data), zeroHash, salt];
    const encode = (functionName: string, args: readonly unknown[]): PlainCall => ({
      to: timelock,
      data: encodeFunctionData({ abi, functionName, args }),
    });
    return {
      id,
      salt,
      delaySeconds,
      state,
      isRepeated: repeat > 0,
      readyAt: state === "unset" ? null : Number(await read("getTimestamp", [id])),
      schedule: encode("scheduleBatch", [...batch, BigInt(delaySeconds)]),
      execute: encode("executeBatch", batch),
    };
  }
  throw new Error(`the timelock ${timelock} executed this ${MAX_REPEATS} times`);
}
