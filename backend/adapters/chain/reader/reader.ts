import type { ChainReader, Deployment, FreshReads, Head } from "../../../ports/chain.ts";
import type { Rpc } from "../rpc.ts";
import { createAuditReads } from "./audit.ts";
import { BatchReader } from "./batch.ts";
import { createBlockReads } from "./blocks.ts";
import { createFreshReads } from "./fresh.ts";
import { createIdentityReads } from "./identity.ts";
import { createRewardsReads } from "./rewards.ts";
import { createSignatureReads } from "./signatures.ts";
import { createTokenReads } from "./tokens.ts";

export interface ReaderOptions {
  readonly rpc: Rpc;
  readonly deployment: Deployment;
  /** The head at the indexer's last poll. Throws `CHAIN_UNAVAILABLE`. Without this the reader reads the node's head. */
  readonly getConfirmedHead?: () => Head;
}

/**
 * Reads the chain. Each method resolves within 6 s or throws `CHAIN_UNAVAILABLE`; related values share one `eth_call`.
 */
export function createReader({ rpc, deployment, getConfirmedHead }: ReaderOptions): ChainReader {
  const { toFreshHead, ...blocks } = createBlockReads(rpc, deployment);
  const batch = new BatchReader(rpc);
  return {
    deployment,
    ...blocks,
    ...createIdentityReads(rpc, deployment.identity),
    ...createRewardsReads(rpc, deployment),
    ...createTokenReads(rpc, deployment),
    ...createSignatureReads(rpc),
    ...createAuditReads(rpc, deployment),
    openFreshReads: async (): Promise<FreshReads> => {
      const head = getConfirmedHead?.() ?? (await blocks.getHead());
      return createFreshReads(await toFreshHead(head), batch, deployment);
    },
  };
}
