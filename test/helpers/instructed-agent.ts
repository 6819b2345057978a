/** An agent that knows a wallet, how to play, and one address: everything else it reads from the instructions. */
import { createPublicClient, createWalletClient, http } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { fillTemplate } from "../../backend/domain/agent-loop-values.ts";
import type { Bot } from "../../backend/games/game.ts";
import type { Call, Instructions, TypedData } from "../../client/types.ts";

type Step = Instructions["steps"][number];
export type Values = Record<string, unknown>;

export interface Taken {
  readonly step: Step;
  readonly status: number;
  readonly body: { readonly [field: string]: unknown };
}

interface AgentOptions {
  readonly instructions: Instructions;
  readonly account: PrivateKeyAccount;
  readonly slug: string;
  readonly bot: () => Bot;
  /** Called before a step is taken; false leaves it out. */
  readonly before?: (step: Step) => Promise<void>;
}

const fieldOf = (body: unknown, path: string): unknown =>
  path.split(".").reduce((value, part) => (value as Values | null | undefined)?.[part], body as unknown);

/** Plays on the channel as the step's sentence tells: the token first, then an answer to each frame, until `end`. */
function play(wsUrl: string, playToken: string, bot: Bot): Promise<{ readonly score: number }> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(wsUrl);
    socket.onopen = () => socket.send(JSON.stringify({ t: "auth", token: playToken }));
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data));
      if (message.t === "end") resolve(message);
      if (message.t !== "frame" || message.frame.phase !== "running") return;
      const input = bot(message.frame);
      if (input !== null) socket.send(JSON.stringify(input));
    };
    socket.onclose = ({ code, reason }) => reject(new Error(`closed ${code} ${reason} before the end`));
    socket.onerror = () => reject(new Error("the socket failed"));
  });
}

/** Takes every step whose values are known, in order; answers what was sent and what came. */
export async function followInstructions(options: AgentOptions): Promise<{ taken: Taken[]; values: Values }> {
  const { instructions, account, slug } = options;
  const transport = http(instructions.rpcUrl!);
  const wallet = createWalletClient({ account, chain: hardhat, transport });
  const chain = createPublicClient({ chain: hardhat, transport, pollingInterval: 20 });
  const values: Values = { walletAddress: account.address, slug };
  const taken: Taken[] = [];

  async function send(call: Call): Promise<string> {
    const hash = await wallet.sendTransaction({ to: call.to, data: call.data, value: BigInt(call.value) });
    const receipt = await chain.waitForTransactionReceipt({ hash });
    if (receipt.status !== "success") throw new Error(`${call.functionName} was reverted`);
    return hash;
  }

  async function act({ acts }: Step, body: object): Promise<void> {
    for (const { act: verb, field, keeps } of acts) {
      const value = field === undefined ? null : fieldOf(body, field);
      if (verb === "play") {
        values.end = await play(values.wsUrl as string, values.playToken as string, options.bot());
      } else if (verb === "sign_message") {
        values[keeps!] = await account.signMessage({ message: value as string });
      } else if (verb === "sign_typed_data") {
        const { domain, types, primaryType, message } = value as TypedData;
        values[keeps!] = await account.signTypedData({ domain, types, primaryType, message } as never);
      } else if (value !== undefined && value !== null) values[keeps!] = await send(value as Call);
    }
  }

  for (const step of instructions.steps) {
    await options.before?.(step);
    if (step.request === null) {
      await act(step, {});
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
    const body = (await response.json()) as Taken["body"];
    taken.push({ step, status: response.status, body });
    if (!response.ok) throw new Error(`${step.title}: ${JSON.stringify(body)}`);
    for (const [name, field] of Object.entries(step.keeps)) values[name] = fieldOf(body, field);
    await act(step, body);
  }
  return { taken, values };
}
