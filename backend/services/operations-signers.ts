import type { Address, ChainReader, Clock, SignerDuty, Signers } from "../ports.ts";

interface SignerCheckPorts {
  readonly chain: ChainReader;
  readonly signers: Signers;
  readonly operator: Address;
  readonly clock: Clock;
}

/** A role changes rarely and is asked for often. */
const KEPT_MS = 10_000;

/** Says which key lacks its role on chain, null where every one has it. Throws where the chain does not answer. */
export function makeSignerCheck({ chain, signers, operator, clock }: SignerCheckPorts): () => Promise<string | null> {
  const { identity, rewards, nft } = chain.deployment;
  const duties: readonly (readonly [SignerDuty, Address])[] = [
    ["identity", identity],
    ["score", rewards],
    ...Object.entries(nft).map(([slug, address]) => [`nft:${slug}`, address] as const),
  ];
  let known: { readonly fault: string | null; readonly atMs: number } | null = null;

  async function look(): Promise<string | null> {
    const faults = await Promise.all([
      ...duties.map(async ([duty, contract]) => {
        const { address } = signers(duty);
        if (await chain.isSigner(contract, address)) return null;
        return `${contract} does not accept ${address}, the signer of ${duty}`;
      }),
      chain
        .isOperator(operator)
        .then((is) => (is ? null : `${rewards} does not let ${operator} relay payouts as its operator`)),
    ]);
    const found = faults.filter((fault) => fault !== null);
    return found.length === 0 ? null : found.join("; ");
  }

  return async () => {
    if (known !== null && clock.monotonicMs() - known.atMs < KEPT_MS) return known.fault;
    const fault = await look();
    known = { fault, atMs: clock.monotonicMs() };
    return fault;
  };
}
