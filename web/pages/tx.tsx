/** `/tx/{hash}`: a transaction of the chain, with the calls and events of the arcade's contracts decoded. */
import { ExplorerPage } from "../explorer/explorer-page.tsx";
import type { PageProps } from "../page-props.ts";

export const TxPage = ({ params }: PageProps) => <ExplorerPage kind="tx" hex={params.hash ?? ""} />;
