import type { ContractFunctionParameters, Hex, MulticallResponse } from "viem";
import { resumeInTurns } from "../../system/turns.ts";
import type { Rpc } from "../rpc.ts";
import { callViews, getValue } from "./multicall.ts";

interface Question {
  readonly view: ContractFunctionParameters;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Nodes limit the result of a call without a contract to the maximum size of contract code, 24,576 bytes. */
const BATCH_MAX = 64;
/** Requests that wait for the same poll resume a few per turn, so their reads arrive over several turns. */
const TURNS_MAX = 16;

/** Reads at one block by its hash. Reads that arrive in consecutive turns of the event loop share one `eth_call`. */
export class BatchReader {
  readonly #rpc: Rpc;
  readonly #waiting = new Map<Hex, Question[]>();

  constructor(rpc: Rpc) {
    this.#rpc = rpc;
  }

  /** Null if the contract reverts. Throws `CHAIN_UNAVAILABLE`. */
  read(view: ContractFunctionParameters, blockHash: Hex): Promise<unknown> {
    // Each request keeps its own deadline although the call is shared.
    return this.#rpc.withDeadline(() => this.#ask(view, blockHash));
  }

  #ask(view: ContractFunctionParameters, blockHash: Hex): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(blockHash);
      if (waiting === undefined) {
        this.#waiting.set(blockHash, [{ view, resolve, reject }]);
        setImmediate(() => this.#sendWhenComplete(blockHash, { asked: 0, turns: 1 }));
      } else waiting.push({ view, resolve, reject });
    });
  }

  /** Sends after a turn without a new read. `asked`: the number of reads before that turn. */
  #sendWhenComplete(blockHash: Hex, { asked, turns }: { readonly asked: number; readonly turns: number }): void {
    const { length } = this.#waiting.get(blockHash)!;
    const isComplete = length === asked || length >= BATCH_MAX || turns === TURNS_MAX;
    if (isComplete) this.#sendAll(blockHash);
    else setImmediate(() => this.#sendWhenComplete(blockHash, { asked: length, turns: turns + 1 }));
  }

  #sendAll(blockHash: Hex): void {
    const questions = this.#waiting.get(blockHash) ?? [];
    this.#waiting.delete(blockHash);
    for (let start = 0; start < questions.length; start += BATCH_MAX)
      void this.#send(questions.slice(start, start + BATCH_MAX), blockHash);
  }

  async #send(questions: readonly Question[], blockHash: Hex): Promise<void> {
    try {
      const views = questions.map(({ view }) => view);
      const responses = await callViews(this.#rpc.client, views, { blockHash });
      for (const [n, question] of questions.entries()) resumeInTurns(() => answer(question, responses[n]!));
    } catch (error) {
      for (const { reject } of questions) reject(error);
    }
  }
}

function answer({ resolve, reject }: Question, response: MulticallResponse): void {
  try {
    resolve(getValue(response));
  } catch (error) {
    reject(error);
  }
}
