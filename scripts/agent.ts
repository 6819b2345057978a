/** `npm run agent`: the whole lifecycle from an empty wallet to the payout, for one agent or many. */
import { getUserDirectory } from "../backend/config/environment.ts";
import type { PayoutView } from "../client/api.ts";
import { isLocalChain } from "../domain/chain-ids.ts";
import { recordFrames } from "./agent/bot-frames.ts";
import { loadBot } from "./agent/bots.ts";
import { type AgentContext, loadAgentContext } from "./agent/context.ts";
import { type FleetResult, formatFleetTable, makeFleetView } from "./agent/fleet.ts";
import { AGENT_FLAGS, type AgentOptions, parseAgentOptions } from "./agent/options.ts";
import { confirmPlan } from "./agent/plan.ts";
import { type AgentRun, runAgentLifecycle } from "./agent/run.ts";
import { formatStepLine, formatSummary, makeSoloListener } from "./agent/solo.ts";
import { claimKeys, createWallet } from "./agent/wallets.ts";
import { defineCommand } from "./cli/command.ts";
import { EXIT, getExitCode, toFailure } from "./cli/failures.ts";
import type { Terminal } from "./cli/terminal.ts";

type RunContext = { readonly context: AgentContext; readonly options: AgentOptions; readonly terminal: Terminal };

const loadKeys = async ({ key, keysFolder, agents }: AgentOptions) =>
  key === null ? claimKeys(keysFolder, agents) : [{ number: 1, key, origin: "the given key" }];

async function runSoloAgent({ context, options, terminal }: RunContext) {
  const recorder = options.debug ? recordFrames(await loadBot(options.bot)) : null;
  const makeBot = recorder?.makeBot ?? (await loadBot(options.bot));
  const startedAtMs = performance.now();
  const { number, key, origin } = (await loadKeys(options))[0]!;
  const wallet = createWallet(key, context);
  terminal.print(formatStepLine("wallet", { message: origin }, performance.now() - startedAtMs, terminal.style));
  const listener = makeSoloListener(terminal);
  try {
    const { slugs, sessions, gasless } = options;
    const run = await runAgentLifecycle({ context, wallet, slugs, sessions, gasless, makeBot, listener });
    terminal.print(formatSummary(run, context.url, terminal.style));
    return { chainId: context.chainId, agents: [toAgentResult(number, run)] };
  } catch (error) {
    const file = recorder?.save(error, getUserDirectory());
    if (file !== undefined && file !== null) terminal.print(`  the frames of the failure: ${file}`);
    throw error;
  } finally {
    listener.close();
  }
}

async function runFleet({ context, options, terminal }: RunContext): Promise<number> {
  const makeBot = await loadBot(options.bot);
  const { slugs, sessions, gasless } = options;
  const keys = await loadKeys(options);
  const wallets = keys.map(({ key }) => createWallet(key, context));
  const view = makeFleetView(
    terminal,
    wallets.map(({ address }) => address),
  );
  view.open();
  const results = await Promise.all(
    wallets.map(async (wallet, index): Promise<FleetResult> => {
      const startedAtMs = performance.now();
      const facts = { number: keys[index]!.number, address: wallet.address };
      const result = await runAgentLifecycle({
        context,
        wallet,
        slugs,
        sessions,
        gasless,
        makeBot,
        listener: view.createListener(index),
      })
        .then((run) => ({ run }))
        .catch((error: unknown) => ({ error }));
      const whole = { ...facts, ms: performance.now() - startedAtMs, ...result };
      view.finished(index, whole);
      return whole;
    }),
  ).finally(() => view.close());
  terminal.print(formatFleetTable(results, terminal));
  const failed = results.filter((result) => result.error !== undefined);
  terminal.printJson({
    ok: failed.length === 0,
    chainId: context.chainId,
    agents: results.map(({ number, address, run, error }) =>
      run === undefined ? { number, address, ok: false, failure: toFailure(error) } : toAgentResult(number, run),
    ),
  });
  return failed.length === 0 ? EXIT.ok : getExitCode(failed[0]!.error);
}

/** The fields of a payout, without those of the response envelope. */
const toPayoutFields = ({ payoutId, status, txHash, amount, score }: PayoutView) => ({
  payoutId,
  status,
  txHash,
  amount,
  score,
});

/** One agent in the output of `--json`. */
function toAgentResult(number: number, run: AgentRun) {
  const { name, address, agentId, games, snapshots, nfts, payout, balance, symbol, scorebank, payouts } = run;
  return {
    number,
    address,
    ok: true,
    name,
    agentId,
    games,
    snapshots: snapshots.map(({ receipt: _, ...snapshot }) => snapshot),
    nfts: nfts.map(({ receipt: _, ...nft }) => nft),
    payout: payout.paid
      ? { paid: true, ...toPayoutFields(payout.payout) }
      : { paid: false, reasons: payout.reasons, nextEligibleAt: payout.nextEligibleAt },
    balance,
    symbol,
    scorebank,
    history: payouts,
  };
}

export const command = defineCommand({
  name: "agent",
  summary: "plays the whole loop: identity, games, snapshots, NFT, payout",
  flags: AGENT_FLAGS,
  examples: [
    "npm run agent -- --game both",
    "npm run agent -- --game flappybots --bot ./my-bot.ts --sessions 3",
    "npm run agent -- --agents 20 --bot quick --json",
  ],
  async run(input, terminal) {
    const options = parseAgentOptions(input);
    const { style } = terminal;
    const context = await loadAgentContext(options);
    const chain = isLocalChain(context.chainId) ? `local chain ${context.chainId}` : `chain ${context.chainId}`;
    terminal.print(
      `\n  ${style.bold("Agent Arcade")}  ${context.url}  ${style.dim(`${chain}, node ${new URL(context.rpcUrl).host}`)}\n`,
    );
    if (options.isKeyExposed)
      terminal.print(
        `  ${style.warn("!")} --key 0x… is visible in the process list and the shell's history; use --key @FILE or set ARCADE_AGENT_KEY\n`,
      );
    const { agents, sessions, slugs } = options;
    // Without gas there is nothing to confirm.
    if (!options.gasless) await confirmPlan(context, { agents, sessions, games: slugs.length }, options.yes, terminal);
    const runContext: RunContext = { context, options, terminal };
    return agents === 1 ? runSoloAgent(runContext) : runFleet(runContext);
  },
});
