/** The parts that services are made of. Part of the composition root. */

import type { OwnOrigins } from "../../domain/origins.ts";
import type { Role } from "../../domain/roles.ts";
import { gameList } from "../../games/index.ts";
import type { Chain } from "../adapters/chain/open-chain.ts";
import type { RequestBudget } from "../adapters/chain/request-budget.ts";
import type { OpenedPlane } from "../adapters/live-plane/open-live-plane.ts";
import type { Live } from "../live/live.ts";
import type { PolicyRunner } from "../ports/policies.ts";
import type { Store } from "../ports/store/store.ts";
import type { Clock, PictureDrawer, Worker } from "../ports/system.ts";
import type { AppOptions } from "./app-options.ts";

/** The opened infrastructure, and the facts that services are created with. */
export interface Parts {
  readonly options: AppOptions;
  readonly store: Store;
  readonly chain: Chain;
  /** How long each request may wait for the chain's node. */
  readonly budget: RequestBudget;
  readonly worker: Worker;
  readonly pictures: PictureDrawer;
  readonly policies: PolicyRunner;
  readonly live: Live;
  /** The sessions of this process and, in a fleet, of the others. */
  readonly livePlane: OpenedPlane;
  readonly clock: Clock;
  readonly isLocal: boolean;
  readonly limitsOn: boolean;
  readonly publicUrl: () => string;
  /** Origins of pages that may open sockets and that a sign-in message may name. */
  readonly ownOrigins: OwnOrigins;
  readonly wsUrl: () => string;
  readonly draining: () => boolean;
  readonly setDraining: (isDraining: boolean) => void;
}

export const hasRole = ({ options }: Parts, role: Role): boolean => options.config.roles.includes(role);
export const getGames = ({ options }: Parts) => (options.gameList ?? gameList).games;
export const getSlugs = (parts: Parts) => getGames(parts).map(({ slug }) => slug);
