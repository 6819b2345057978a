/** The whole service with its limits on, in a separate process that reports its places. Run by the admission drill. */
import childProcess, { type ForkOptions } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { RequestGate } from "../../../backend/rate-limits/request-gate.ts";
import { CONNECTION_LIMITS } from "../../../domain/limits/limits.ts";
import { startTestStack } from "../../../test/helpers/suite.ts";
import { PATIENT_WITH_CHAIN, scaleCount } from "./drill.ts";

export interface AdmissionServer {
  readonly httpUrl: string;
  readonly rpcUrl: string;
  /** The total number of places for connections, in proportion to the attackers. */
  readonly inAll: number;
}

const inAll = scaleCount(CONNECTION_LIMITS.inAll);
Object.assign(CONNECTION_LIMITS, { inAll });
let gate: RequestGate | null = null;
const { attach } = RequestGate.prototype;
RequestGate.prototype.attach = function (server): void {
  gate = this;
  attach.call(this, server);
};

// The process of /mcp has an empty environment, which would not pass on the injected faults.
const { fork } = childProcess;
childProcess.fork = ((path: URL, options: ForkOptions) => fork(path, { ...options, env: process.env })) as typeof fork;
syncBuiltinESMExports();

const { ADMISSION_ENVIRONMENT = "{}" } = process.env;
const env = { ...PATIENT_WITH_CHAIN, ARCADE_RATE_LIMITS: "on", ...JSON.parse(ADMISSION_ENVIRONMENT) };
const { httpUrl, chain } = await startTestStack({ env });
process.on("message", () => process.send!(gate!.stats().places));
process.on("disconnect", () => process.exit(0));
process.send!({ httpUrl, rpcUrl: chain.rpcUrl, inAll } satisfies AdmissionServer);
