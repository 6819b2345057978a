import type { Hex } from "viem";
import { resumeInTurns } from "../../system/turns.ts";
import type { Rpc } from "../rpc.ts";
import { createUnavailableError, findRevert } from "../rpc-errors.ts";
import { type CallResult, decodeAggregate } from "./aggregate.ts";
import { decodeView, encodeViews, type View } from "./views.ts";

interface Question {
  readonly view: View;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Nodes bound the result of a call without a contract by the size of a contract's code, 24,576 bytes. */
const BATCH_MAX = 64;
/** Requests that wait for the same poll go on a few in each turn, so their questions come in turns, too. */
const TURNS_MAX = 16;

/** Reads at one block by its hash: those that come turn by turn of the event loop are one `eth_call`. */
export class BatchReader {
  readonly #rpc: Rpc;
  readonly #waiting = new Map<Hex, Question[]>();

  constructor(rpc: Rpc) {
    this.#rpc = rpc;
  }

  /** Null where the contract reverts. Throws `CHAIN_UNAVAILABLE`. */
  read(view: View, blockHash: Hex): Promise<unknown> {
    // Each request keeps its own deadline, although it shares the call.
    return this.#rpc.withDeadline(() => this.#ask(view, blockHash));
  }

  #ask(view: View, blockHash: Hex): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(blockHash);
      if (waiting === undefined) {
        this.#waiting.set(blockHash, [{ view, resolve, reject }]);
        setImmediate(() => this.#sendWhenComplete(blockHash, { asked: 0, turns: 1 }));
      } else waiting.push({ view, resolve, reject });
    });
  }

  /** Sends after a turn that has brought no question; `asked`: those that there were before it. */
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
      const results = await this.#callAll(
        questions.map(({ view }) => view),
        blockHash,
      );
      for (const [n, question] of questions.entries()) resumeInTurns(() => answer(question, results[n]!));
    } catch (error) {
      // The call holds whatever a view does, so its own revert says nothing of the contracts.
      const reason = findRevert(error) === null ? error : createUnavailableError("it rejects calls of several views");
      for (const { reject } of questions) reject(reason);
    }
  }

  async #callAll(views: readonly View[], blockHash: Hex): Promise<readonly CallResult[]> {
    const { data = "0x" } = await this.#rpc.client.call({ data: await encodeViews(views), blockHash });
    return decodeAggregate(data, views.length);
  }
}

function answer({ view, resolve, reject }: Question, result: CallResult): void {
  try {
    resolve(decodeView(view, result));
  } catch (error) {
    reject(error);
  }
}
