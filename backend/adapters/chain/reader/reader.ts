import type { ChainReader, Deployment, FreshReads, Head } from "../../../ports/chain.ts";
import type { Rpc } from "../rpc.ts";
import { AuditReader } from "./audit.ts";
import { BatchReader } from "./batch.ts";
import { BlockReader } from "./blocks.ts";
import { createFreshReads } from "./fresh.ts";
import { IdentityReader } from "./identity.ts";
import { RewardsReader } from "./rewards.ts";
import { SignatureReader } from "./signatures.ts";
import { TokenReader } from "./tokens.ts";

export interface ReaderOptions {
  readonly rpc: Rpc;
  readonly deployment: Deployment;
  /** The head at the indexer's last poll. Throws `CHAIN_UNAVAILABLE`. Left out: the node is asked for its head. */
  readonly getConfirmedHead?: () => Head;
}

/** Reads the chain. Each method resolves within 6 s or throws `CHAIN_UNAVAILABLE`; related values are one `eth_call`. */
export function createReader({ rpc, deployment, getConfirmedHead }: ReaderOptions): ChainReader {
  const blocks = new BlockReader(rpc, deployment);
  const identity = new IdentityReader(rpc, deployment.identity);
  const rewards = new RewardsReader(rpc, deployment);
  const tokens = new TokenReader(rpc, deployment);
  const signatures = new SignatureReader(rpc);
  const audit = new AuditReader(rpc, deployment);
  const batch = new BatchReader(rpc);
  const openFreshReads = async (): Promise<FreshReads> => {
    const head = getConfirmedHead?.() ?? (await blocks.getHead());
    return createFreshReads(await blocks.toFreshHead(head), batch, deployment);
  };
  return {
    deployment,
    getHead: () => blocks.getHead(),
    openFreshReads,
    getReceipt: (txHash) => blocks.getReceipt(txHash),
    getPrimaryIdentity: (wallet) => identity.getPrimaryIdentity(wallet),
    getPrimaryIdentityAt: (wallet, block) => identity.getPrimaryIdentityAt(wallet, block),
    getIdentity: (agentId) => identity.getIdentity(agentId),
    getIdentityCount: (wallet) => identity.getIdentityCount(wallet),
    getReadiness: (wallet) => rewards.getReadiness(wallet),
    getRewardsState: () => rewards.getRewardsState(),
    isSessionConsumed: (wallet, gameSessionHash) => rewards.isSessionConsumed(wallet, gameSessionHash),
    readFigures: (wallets, block) => audit.readFigures(wallets, block),
    isOperator: (account) => rewards.isOperator(account),
    getBalance: (address) => tokens.getBalance(address),
    getTokenInfo: () => tokens.getTokenInfo(),
    getGameNft: (slug, tokenId) => tokens.getGameNft(slug, tokenId),
    hasCode: (address) => signatures.hasCode(address),
    isSigner: (contract, account) => signatures.isSigner(contract, account),
    getSigners: (contract) => signatures.getSigners(contract),
    getDomain: (contract) => signatures.getDomain(contract),
    isValidSignature: (wallet, digest, signature) => signatures.isValidSignature(wallet, digest, signature),
  };
}
