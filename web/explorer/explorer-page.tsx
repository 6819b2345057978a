/** The frame of an explorer page; its content loads with viem. */
import type { Address, Hex } from "../../client/api.ts";
import { ExplorerLink } from "../components/address.tsx";
import { Load } from "../components/load.tsx";
import { PageHead } from "../components/page-head.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { EXPLORER_PAGE_LABELS } from "../labels/explorer.ts";
import { loadScript } from "../load-script.ts";
import { siteConfig } from "../site-config.ts";

export function ExplorerPage({ kind, hex }: { readonly kind: "tx" | "address"; readonly hex: string }) {
  const loaded = useLoaded(null, async () => {
    if (siteConfig.rpcUrl === null) throw new Error(EXPLORER_PAGE_LABELS.noNode);
    const { Found, readAddress, readTransaction } = await loadScript(() => import("./show.tsx"));
    const view = kind === "tx" ? await readTransaction(hex as Hex) : await readAddress(hex as Address);
    return { title: view?.title, body: <Found view={view} /> };
  }, [kind, hex]);
  return (
    <>
      <PageHead title={loaded.value?.title ?? EXPLORER_PAGE_LABELS.title[kind]} lead={EXPLORER_PAGE_LABELS.lead} />
      <p class="full-hex">
        <code>{hex}</code> <ExplorerLink hex={hex} kind={kind} />
      </p>
      <Load loaded={loaded}>{({ body }) => body}</Load>
    </>
  );
}
