/** Creates what the operator uses: state of the process, metrics, console. Part of the composition root. */

import { SignerSet } from "../adapters/signer/signers.ts";
import { countSignatures, createMetrics } from "../adapters/system/metrics.ts";
import { AdminCommands } from "../services/operations/admin-commands.ts";
import { ChainAudit } from "../services/operations/chain-audit.ts";
import { checkSigners } from "../services/operations/checked-signers.ts";
import { ErrorLog } from "../services/operations/error-log.ts";
import { Operations } from "../services/operations/operations.ts";
import { type ConsoleOperator, createStamp } from "../services/operations/operator.ts";
import { findPauseProblem } from "../services/operations/pause-check.ts";
import { PayoutMonitor } from "../services/operations/payout-monitor.ts";
import { Readiness } from "../services/operations/readiness.ts";
import { SignerCheck } from "../services/operations/signer-check.ts";
import type { Telemetry } from "../services/stats/telemetry.ts";
import { getSlugs, hasRole, type Parts } from "./parts.ts";

/** Ten blocks of the slowest supported network. */
const HEAD_AGE_MAX_SECONDS = 120;

/** Signers that count signatures, the metrics, and the state of the process. */
export function wireOperations(parts: Parts, telemetry: Telemetry) {
  const { options, store, chain, live, clock, isLocal, draining } = parts;
  const slugs = getSlugs(parts);
  const signerSet = new SignerSet(options.keys, clock);
  const signerCheck = new SignerCheck({
    chain: chain.reader,
    signers: signerSet.get,
    operator: chain.writer.operator,
    slugs,
    clock,
  });
  const chainAudit = new ChainAudit({ store, chain: chain.reader, index: chain.index, clock, log: options.log });
  const readiness = new Readiness({
    store,
    index: chain.index,
    listNodes: () => chain.listNodes(),
    clock,
    draining,
    recovery: () => live.recoveryProgress(),
    roles: options.config.roles,
    findPlaneProblem: wirePlaneProblem(parts),
    signerCheck,
    findPauseProblem: () => findPauseProblem(chain.facts, slugs),
    chainAudit,
    headAgeMaxSeconds: isLocal ? null : HEAD_AGE_MAX_SECONDS,
  });
  const payoutMonitor = new PayoutMonitor({ store: store.payouts, chain: chain.facts, writer: chain.writer, clock });
  // These are part of the first poll, so that a service usually knows its keys' roles and its funds once it has
  // started.
  chain.index.onIndexed(async () => {
    await Promise.all([signerCheck.refreshIfDue(), payoutMonitor.refreshIfDue()]);
  });
  const sources = {
    payouts: () => payoutMonitor.read(),
    games: () => slugs.map((slug) => ({ slug, ...live.registry.getTotals(slug) })),
    live: () => live.stats(),
    chain: () => chain.indexer.status(),
    chainNodes: () => chain.listNodes(),
    telemetry: () => ({ dropped: telemetry.dropped }),
    audit: () => ({ differences: chainAudit.differences }),
  };
  const metrics = createMetrics({ ...sources, checks: async () => (await readiness.check()).checks });
  live.onEnded(({ slug, source, endReason }) =>
    metrics.countSessionEnd({ slug, source, endReason: endReason ?? "none" }),
  );
  const { metricsHost, metricsToken } = options.config;
  const access = { metricsHost, metricsToken, publicUrl: parts.publicUrl };
  const operations = new Operations({ chain: chain.reader, clock, readiness, sources, metrics, ...access });
  const signers = countSignatures(checkSigners(signerSet.get, signerCheck), metrics);
  return { signers, signerSet, metrics, operations, chainAudit };
}

/** Null if there are no other nodes. */
function wirePlaneProblem(parts: Parts): (() => string | null) | null {
  const { findProblem, starts } = parts.livePlane;
  if (findProblem === null || starts === null || hasRole(parts, "live") || !hasRole(parts, "api")) return findProblem;
  return () => findProblem() ?? starts.findProblem();
}

/** The name in the audit: a caller over HTTP sends a token but no name. */
const CONSOLE_NAME = "console";

/** The operator's console over HTTP. */
export function wireConsole({ options, store, chain, livePlane, clock, draining, setDraining }: Parts) {
  const { config, deployment, doctor, rpcUrl } = options;
  const subject = { chainId: deployment.chainId, rpcUrl, deploymentPath: config.deploymentPath };
  const errorLog = new ErrorLog(() => clock.nowMs());
  const operator: ConsoleOperator = {
    store,
    createStamp: () => createStamp(CONSOLE_NAME, clock.nowMs()),
    readFinality: async () => chain.index.getFinality(),
    live: livePlane.plane,
    errors: errorLog,
    adminToken: config.adminToken,
    runDoctor: doctor === undefined ? null : () => doctor(subject),
    draining: { get: draining, set: setDraining },
  };
  return { operator, errorLog };
}

/** Carries out in this process what the operator orders in another one. */
export function wireAdminCommands({ options, store, live, chain, clock }: Parts): AdminCommands {
  const { transactions } = store.singletons;
  return new AdminCommands({
    store: store.operator,
    live: live.registry,
    writer: chain.writer,
    clock,
    log: options.log,
    mayOrder: () => transactions.isHeld(),
  });
}
