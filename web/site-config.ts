/** What the server wrote into the page: the chain, its contracts, and where they can be read. */
import { SITE_CONFIG_META, type SiteConfig } from "../domain/site.ts";

function readSiteConfig(): SiteConfig {
  const element = document.querySelector<HTMLMetaElement>(`meta[name="${SITE_CONFIG_META}"]`);
  if (element === null) throw new Error("the page holds no configuration");
  return JSON.parse(element.content) as SiteConfig;
}

export const siteConfig: SiteConfig = readSiteConfig();
