/** The deployment that a store belongs to. */
import type { Deployment } from "../chain.ts";

/** What identifies a deployment; more games may be added to it later. */
export type DeploymentKey = Pick<Deployment, "chainId" | "identity" | "rewards" | "token" | "nft">;

export interface DeploymentStore {
  /** Null until a service has started on the store. */
  find(): Promise<DeploymentKey | null>;
  /** Records the deployment, or new games of the recorded one; recorded values never change. Returns all of it. */
  record(deployment: DeploymentKey): Promise<DeploymentKey>;
}
