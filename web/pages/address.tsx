/** `/address/{address}`: what the arcade's contracts store about a wallet, or the state and events of one of them. */
import { ExplorerPage } from "../explorer/explorer-page.tsx";
import type { PageProps } from "../page-props.ts";

export const AddressPage = ({ params }: PageProps) => <ExplorerPage kind="address" hex={params.address ?? ""} />;
