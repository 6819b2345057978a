/** What the server wrote into the page: the chain, its contracts, and where they can be read. */
import { SITE_CONFIG_META, type SiteConfig } from "../domain/site.ts";

function readSiteConfig(): SiteConfig | null {
  if (typeof document === "undefined") return null;
  const element = document.querySelector<HTMLMetaElement>(`meta[name="${SITE_CONFIG_META}"]`);
  if (element === null) throw new Error("the page holds no configuration");
  return JSON.parse(element.content) as SiteConfig;
}

/** Null only while the server loads this module. */
export let siteConfig: SiteConfig = readSiteConfig()!;

/** For the server, which renders the pages. */
export function setSiteConfig(config: SiteConfig): void {
  siteConfig = config;
}
