/** Imports modules of the site in Node. While they load, they read the page's URL and the server's configuration. */
import type { SiteConfig } from "../../../domain/site.ts";

const ADDRESS = `0x${"11".repeat(20)}` as const;
const CONFIG: SiteConfig = {
  chainId: 31337,
  rpcUrl: null,
  explorerUrl: null,
  startBlock: 0,
  contracts: { identity: ADDRESS, rewards: ADDRESS, token: ADDRESS, market: null, nft: {} },
  hasLeague: true,
};

/** Runs the imports with a page's `location` and `document`. */
export async function importAsPage<T>(load: () => Promise<T>): Promise<T> {
  const page = {
    location: { origin: "http://arcade.example" },
    document: { querySelector: () => ({ content: JSON.stringify(CONFIG) }) },
  };
  const before = Object.keys(page).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const [name, value] of Object.entries(page))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  try {
    return await load();
  } finally {
    for (const [name, descriptor] of before)
      if (descriptor === undefined) delete (globalThis as { [name: string]: unknown })[name];
      else Object.defineProperty(globalThis, name, descriptor);
  }
}
