/** The transaction of a step, if there is one. */
import type { Hex } from "../../client/api.ts";
import { ACCOUNT_LABELS } from "../labels/account.ts";
import { Address } from "./address.tsx";

export const TxLink = ({ txHash }: { readonly txHash: Hex | null | undefined }) =>
  txHash == null ? null : (
    <span class="tx-link">
      {`${ACCOUNT_LABELS.transaction} `}
      <Address hex={txHash} kind="tx" />
    </span>
  );
