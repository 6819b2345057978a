/** The wallet's tokens, which can be sold, and what it has for sale. */
import { useSignal } from "@preact/signals";
import { formatEther } from "viem";
import type { Listing } from "../../client/api.ts";
import { findGame } from "../../games/index.ts";
import { ActionButton } from "../components/action-button.tsx";
import { EmptyState } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { TokenPicture } from "../components/token-picture.tsx";
import { ACCOUNT_LABELS, getCollectionLabel } from "../labels/account.ts";
import type { Account } from "../wallet/account.ts";
import type { AccountData } from "./account-data.ts";
import type { OwnedToken } from "./owned-tokens.ts";
import { listForSale, parsePrice } from "./sell.ts";

interface ListingsProps {
  readonly account: Account;
  readonly data: AccountData;
  readonly onChanged: () => void;
}

const { columns } = ACCOUNT_LABELS;
const toName = (collection: string): string => getCollectionLabel(collection, findGame(collection)?.title);

export function Listings({ account, data: { owned, listings }, onChanged }: ListingsProps) {
  return (
    <section class="section" aria-labelledby="listings-title">
      <h2 id="listings-title">{ACCOUNT_LABELS.listings}</h2>
      {owned.length === 0 ? (
        <EmptyState>{ACCOUNT_LABELS.noTokens}</EmptyState>
      ) : (
        <ul class="tokens">
          {owned.map((token) => (
            <SellCard
              key={`${token.collection} ${token.tokenId}`}
              account={account}
              token={token}
              onChanged={onChanged}
            />
          ))}
        </ul>
      )}
      {listings.length === 0 ? (
        <EmptyState>{ACCOUNT_LABELS.noListings}</EmptyState>
      ) : (
        <OwnListings account={account} listings={listings} onChanged={onChanged} />
      )}
      <p>
        <a href="/market">{ACCOUNT_LABELS.market}</a>
      </p>
    </section>
  );
}

interface SellCardProps {
  readonly account: Account;
  readonly token: OwnedToken;
  readonly onChanged: () => void;
}

function SellCard({ account, token, onChanged }: SellCardProps) {
  const price = useSignal("0.05");
  const name = `${toName(token.collection)} #${token.tokenId}`;
  return (
    <li class="panel token-card">
      <TokenPicture collection={token.collection} tokenId={token.tokenId} name={name} />
      <b>{name}</b>
      <label>
        {ACCOUNT_LABELS.price}
        <input
          type="text"
          inputMode="decimal"
          value={price.value}
          onInput={({ currentTarget }) => {
            price.value = currentTarget.value;
          }}
        />
      </label>
      <ActionButton
        label={ACCOUNT_LABELS.list}
        description={name}
        isQuiet
        onClick={async () => {
          await listForSale(account, token, parsePrice(price.value));
          onChanged();
        }}
      />
    </li>
  );
}

interface OwnListingsProps {
  readonly account: Account;
  readonly listings: readonly Listing[];
  readonly onChanged: () => void;
}

const OwnListings = ({ account, listings, onChanged }: OwnListingsProps) => (
  <Table<Listing>
    label={ACCOUNT_LABELS.listings}
    rows={listings}
    toKey={({ listingId }) => listingId}
    columns={[
      { key: "token", title: columns.token, cell: ({ collection, tokenId }) => `${toName(collection)} #${tokenId}` },
      { key: "price", title: columns.price, isNumber: true, cell: ({ price }) => `${formatEther(BigInt(price))} ETH` },
      {
        key: "state",
        title: columns.state,
        cell: ({ visible, reasons }) =>
          reasons[0]?.replaceAll("_", " ").toLowerCase() ?? (visible ? ACCOUNT_LABELS.visible : ACCOUNT_LABELS.hidden),
      },
      {
        key: "action",
        title: ACCOUNT_LABELS.action,
        cell: ({ listingId, visible, signature, reasons, tokenId }) =>
          signature !== null &&
          reasons.length === 0 && (
            <ActionButton
              label={visible ? ACCOUNT_LABELS.hide : ACCOUNT_LABELS.show}
              description={`#${tokenId}`}
              isQuiet
              onClick={async () => {
                await account.client.market.visibilitySet({ listingId, visible: !visible });
                onChanged();
              }}
            />
          ),
      },
    ]}
  />
);
