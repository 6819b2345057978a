/** `npm run agent`: the main job from the first wallet to the payout, by one agent or by many. */

import type { PayoutView } from "../client/types.ts";
import { loadBot } from "./agent/bots.ts";
import { type FleetResult, fleetTable, makeFleetView } from "./agent/fleet.ts";
import { type Journey, travel } from "./agent/journey.ts";
import { AGENT_FLAGS, type AgentCommand, type AgentOptions, agentOptionsOf } from "./agent/options.ts";
import { findPlace, LOCAL_CHAIN_ID, type Place } from "./agent/place.ts";
import { confirmPlan } from "./agent/plan.ts";
import { makeSoloWatcher, stepLine, summaryOf } from "./agent/solo.ts";
import { takeKeys, walletOf } from "./agent/wallets.ts";
import { runCommand, type Terminal } from "./cli/command.ts";
import { EXIT, exitCodeOf, failureOf } from "./cli/failures.ts";

type Run = { readonly place: Place; readonly options: AgentOptions; readonly terminal: Terminal };

const keysOf = async ({ key, keysFolder, agents }: AgentOptions) =>
  key === null ? takeKeys(keysFolder, agents) : [{ number: 1, key, origin: "the key that was given" }];

async function runOne({ place, options, terminal }: Run): Promise<number> {
  const makeBot = await loadBot(options.bot);
  const startedAtMs = performance.now();
  const { number, key, origin } = (await keysOf(options))[0]!;
  const wallet = walletOf(key, place);
  terminal.say(stepLine("wallet", { words: origin }, performance.now() - startedAtMs, terminal.style));
  const watcher = makeSoloWatcher(terminal);
  try {
    const { slugs, sessions } = options;
    const journey = await travel({ place, wallet, slugs, sessions, makeBot, watcher });
    terminal.say(summaryOf(journey, terminal.style));
    terminal.answer({ ok: true, chainId: place.chainId, agents: [answerOf(number, journey)] });
    return EXIT.ok;
  } finally {
    watcher.close();
  }
}

async function runFleet({ place, options, terminal }: Run): Promise<number> {
  const makeBot = await loadBot(options.bot);
  const { slugs, sessions } = options;
  const keys = await keysOf(options);
  const wallets = keys.map(({ key }) => walletOf(key, place));
  const view = makeFleetView(
    terminal,
    wallets.map(({ address }) => address),
  );
  view.open();
  const results = await Promise.all(
    wallets.map(async (wallet, index): Promise<FleetResult> => {
      const startedAtMs = performance.now();
      const facts = { number: keys[index]!.number, address: wallet.address };
      const result = await travel({ place, wallet, slugs, sessions, makeBot, watcher: view.watcher(index) })
        .then((journey) => ({ journey }))
        .catch((error: unknown) => ({ error }));
      const whole = { ...facts, ms: performance.now() - startedAtMs, ...result };
      view.finished(whole);
      return whole;
    }),
  ).finally(() => view.close());
  terminal.say(fleetTable(results, terminal));
  const failed = results.filter((result) => result.error !== undefined);
  terminal.answer({
    ok: failed.length === 0,
    chainId: place.chainId,
    agents: results.map(({ number, address, journey, error }) =>
      journey === undefined ? { number, address, ok: false, failure: failureOf(error) } : answerOf(number, journey),
    ),
  });
  return failed.length === 0 ? EXIT.ok : exitCodeOf(failed[0]!.error);
}

/** Without the envelope it came in. */
const payoutFields = ({ payoutId, status, txHash, amount, score }: PayoutView) => ({
  payoutId,
  status,
  txHash,
  amount,
  score,
});

/** One agent in the answer of `--json`. */
function answerOf(number: number, journey: Journey) {
  const { name, address, agentId, games, snapshots, nfts, payout, balance, symbol, scorebank, payouts } = journey;
  return {
    ...{ number, address, ok: true, name, agentId, games },
    snapshots: snapshots.map(({ receipt: _, ...snapshot }) => snapshot),
    nfts: nfts.map(({ receipt: _, ...nft }) => nft),
    payout: payout.paid
      ? { paid: true, ...payoutFields(payout.payout) }
      : { paid: false, reasons: payout.reasons, nextEligibleAt: payout.nextEligibleAt },
    ...{ balance, symbol, scorebank, history: payouts },
  };
}

const command: AgentCommand = {
  name: "agent",
  summary: "plays the whole loop: identity, games, snapshots, NFT, payout",
  flags: AGENT_FLAGS,
  examples: [
    "npm run agent -- --game both",
    "npm run agent -- --game flappybots --bot ./my-bot.ts --sessions 3",
    "npm run agent -- --agents 20 --bot quick --json",
  ],
  async run(given, terminal) {
    const options = agentOptionsOf(given);
    const { style } = terminal;
    const place = await findPlace(options.url, options.rpcUrl);
    const chain = place.chainId === LOCAL_CHAIN_ID ? `local chain ${place.chainId}` : `chain ${place.chainId}`;
    terminal.say(
      `\n  ${style.bold("Agent Arcade")}  ${place.url}  ${style.dim(`${chain}, node ${new URL(place.rpcUrl).host}`)}\n`,
    );
    const { agents, sessions, slugs } = options;
    await confirmPlan(place, { agents, sessions, games: slugs.length }, options.yes, terminal);
    const run: Run = { place, options, terminal };
    return agents === 1 ? runOne(run) : runFleet(run);
  },
};

process.exitCode = await runCommand(command);
