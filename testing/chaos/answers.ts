/** What a program gets instead of a node's answer. */
import type { ServerResponse } from "node:http";
import { keccak256 } from "viem";
import type { Call, FaultName } from "./faults.ts";

export interface Answer {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export const LAG_BLOCKS = 2;
export const toHex = (number: number): string => `0x${number.toString(16)}`;

interface Block {
  readonly number: string;
  readonly hash: string;
}

/** A head that no node has. */
function invent(answer: Answer, blocks: number): Answer {
  if (typeof answer.result === "string") return { ...answer, result: toHex(Number(answer.result) + blocks) };
  const block = answer.result as Block | null;
  if (block === null) return answer;
  return {
    ...answer,
    result: { ...block, number: toHex(Number(block.number) + blocks), hash: keccak256(block.hash as `0x${string}`) },
  };
}

export function changeAnswer(fault: FaultName, answer: Answer): Answer {
  const { result, ...rest } = answer;
  switch (fault) {
    case "send refused but mined":
      return { ...rest, error: { code: -32_000, message: "internal error" } };
    case "range limit":
      return { ...rest, error: { code: -32_005, message: "query exceeds the range of 10 blocks" } };
    case "receipt missing":
    case "transaction unknown":
      return { ...rest, result: null };
    case "logs missing":
      return { ...rest, result: [] };
    case "head behind":
      // The call asked for a block by number.
      return typeof result === "string" ? invent(answer, -Math.min(LAG_BLOCKS, Number(result))) : answer;
    case "head ahead":
      return invent(answer, LAG_BLOCKS);
    case "head of another hash":
      return invent(answer, 0);
    case "another chain":
      return { ...rest, result: /^0x/.test(String(result)) ? toHex(Number(result) + 1) : String(Number(result) + 1) };
    default:
      return answer;
  }
}

/** The answer to a call that does not reach the node; undefined if it does. */
export function answerEarly(call: Call, fault: FaultName | null, error: Answer["error"]): Answer | undefined {
  const answer = { jsonrpc: "2.0", id: call.id };
  if (fault === "error") return { ...answer, error: error ?? { code: -32_603, message: "internal error" } };
  if (fault !== "send lost" && fault !== "send late") return undefined;
  return { ...answer, result: keccak256(call.params?.[0] as `0x${string}`) };
}

const ONE_ERROR = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_600, message: "refused" } });

/** Breaks the whole response to a request. Returns false if the fault affects single calls. */
export function breakResponse(fault: FaultName | null, response: ServerResponse): boolean {
  switch (fault) {
    case "hang":
      return true;
    case "cut":
      response.destroy();
      return true;
    case "status 429":
    case "status 503":
      response.writeHead(Number(fault.slice(-3))).end("<html>try again</html>");
      return true;
    case "status 400":
    case "one error":
      response.writeHead(fault === "one error" ? 200 : 400).end(ONE_ERROR);
      return true;
    case "not JSON":
      response.end("<html>");
      return true;
    case "without end":
      response.write("{");
      return true;
    default:
      return false;
  }
}
