/** Keeps, brings back and moves the local chain while it runs. */
import { parseArgs } from "node:util";
import { runChainCommand, usage } from "./chain/commands.ts";

const OPTIONS = {
  help: { type: "boolean", short: "h" },
  json: { type: "boolean" },
  rpc: { type: "string" },
} as const;

async function main(): Promise<number> {
  let parsed: ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>;
  try {
    parsed = parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  const { values, positionals } = parsed;
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const rpcUrl = values.rpc ?? process.env.ARCADE_RPC_URL ?? `http://127.0.0.1:${process.env.ARCADE_RPC_PORT ?? 8545}`;
  const { code, sentence, result } = await runChainCommand(positionals, rpcUrl);
  if (values.json && result !== undefined) console.log(JSON.stringify(result));
  if (code === 0 && !values.json) console.log(sentence);
  else console.error(sentence);
  return code;
}

process.exitCode = await main();
