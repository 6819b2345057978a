/** An agent that has a wallet, a bot and one address; it reads everything else from the instructions. */
import { createPublicClient, createWalletClient, http } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import type { Call, Instructions, TypedData } from "../../client/api.ts";
import type { EndMessage } from "../../client/index.ts";
import type { Bot } from "../../games/game.ts";
import { LivesLostError, NoPointsError } from "./until-points.ts";

type Step = Instructions["steps"][number];
export type Values = Record<string, unknown>;

export interface StepResult {
  readonly step: Step;
  readonly status: number;
  readonly body: { readonly [field: string]: unknown };
}

/**
 * Fills every `{name}` of a template. A text that is only one name becomes the value itself.
 * Null if a name has no value: the step does not apply yet.
 */
function fillTemplate(template: unknown, values: { readonly [name: string]: unknown }): unknown {
  let missing = false;
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]));
    if (typeof value !== "string") return value;
    const whole = /^\{(\w+)\}$/.exec(value);
    if (whole !== null) {
      const found = values[whole[1]!];
      if (found === undefined || found === null) missing = true;
      return found;
    }
    return value.replace(/\{(\w+)\}/g, (text, name: string) => {
      const found = values[name];
      if (found !== undefined && found !== null) return String(found);
      missing = true;
      return text;
    });
  };
  const filled = fill(template);
  return missing ? null : filled;
}

interface AgentOptions {
  readonly instructions: Instructions;
  readonly account: PrivateKeyAccount;
  readonly slug: string;
  readonly bot: () => Bot;
  /** The minimum game time of the run. */
  readonly leastPlayMs?: number;
  /** Called before each step. False skips it. */
  readonly beforeStep?: (step: Step) => Promise<void>;
}

const getField = (body: unknown, path: string): unknown =>
  path.split(".").reduce((value, part) => (value as Values | null | undefined)?.[part], body as unknown);

/** Plays on the channel as the step describes: sends the token first, then a message for each frame, until `end`. */
function play(
  wsUrl: string,
  playToken: string,
  bot: Bot,
): Promise<{ readonly end: EndMessage; readonly playMs: number }> {
  return new Promise((resolve, reject) => {
    let playMs = 0;
    const socket = new WebSocket(wsUrl);
    socket.onopen = () => socket.send(JSON.stringify({ t: "auth", token: playToken }));
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data));
      if (message.t === "end") resolve({ end: message, playMs });
      if (message.t !== "frame" || message.frame.phase !== "running") return;
      playMs = message.frame.tMs;
      const input = bot(message.frame);
      if (input !== null) socket.send(JSON.stringify(input));
    };
    socket.onclose = ({ code, reason }) => reject(new Error(`closed ${code} ${reason} before the end`));
    socket.onerror = () => reject(new Error("the socket failed"));
  });
}

/**
 * Takes every step whose values are known, in order; returns the requests and the responses. Throws `NoPointsError`
 * if the run has no points, since the steps after it are about its score, and `LivesLostError` if it was too short.
 */
export async function followInstructions(options: AgentOptions): Promise<{ results: StepResult[]; values: Values }> {
  const { instructions, account, slug } = options;
  const transport = http(instructions.rpcUrl!);
  const wallet = createWalletClient({ account, chain: hardhat, transport });
  const chain = createPublicClient({ chain: hardhat, transport, pollingInterval: 20 });
  const values: Values = { walletAddress: account.address, slug };
  const results: StepResult[] = [];

  async function send(call: Call): Promise<string> {
    const hash = await wallet.sendTransaction({ to: call.to, data: call.data, value: BigInt(call.value) });
    const receipt = await chain.waitForTransactionReceipt({ hash });
    if (receipt.status !== "success") throw new Error(`${call.functionName} was reverted`);
    return hash;
  }

  async function runActions({ acts }: Step, body: object): Promise<void> {
    for (const { act: action, field, keeps } of acts) {
      const value = field === undefined ? null : getField(body, field);
      if (action === "play") {
        const { end, playMs } = await play(values.wsUrl as string, values.playToken as string, options.bot());
        if (end.score === 0) throw new NoPointsError(end.endReason);
        if (playMs < (options.leastPlayMs ?? 0)) throw new LivesLostError();
        values.end = end;
      } else if (action === "sign_message") {
        values[keeps!] = await account.signMessage({ message: value as string });
      } else if (action === "sign_typed_data") {
        const { domain, types, primaryType, message } = value as TypedData;
        values[keeps!] = await account.signTypedData({ domain, types, primaryType, message } as never);
      } else if (value !== undefined && value !== null) values[keeps!] = await send(value as Call);
    }
  }

  for (const step of instructions.steps) {
    await options.beforeStep?.(step);
    if (step.request === null) {
      await runActions(step, {});
      continue;
    }
    const request = fillTemplate(step.request, values) as Step["request"];
    if (request === null) continue;
    const response = await fetch(instructions.baseUrl + request.path, {
      method: request.method,
      headers: {
        ...(request.auth === null ? {} : { Authorization: request.auth.replace("Authorization: ", "") }),
        ...(request.method === "POST" ? { "Content-Type": "application/json" } : {}),
      },
      ...(request.method === "POST" ? { body: JSON.stringify(request.body ?? {}) } : {}),
    });
    const body = (await response.json()) as StepResult["body"];
    results.push({ step, status: response.status, body });
    if (!response.ok) throw new Error(`${step.title}: ${JSON.stringify(body)}`);
    for (const [name, field] of Object.entries(step.keeps)) values[name] = getField(body, field);
    await runActions(step, body);
  }
  return { results, values };
}
