/** `/market`: tokens for sale, with pictures; a wallet buys them. */
import { useSignal } from "@preact/signals";
import { formatEther, formatUnits } from "viem";
import type { Hex, Listing, TokenInfo } from "../../client/api.ts";
import { NATIVE_COIN } from "../../domain/market.ts";
import { findGame, games } from "../../games/index.ts";
import { ActionButton } from "../components/action-button.tsx";
import { Address } from "../components/address.tsx";
import { Load } from "../components/load.tsx";
import { PageHead } from "../components/page-head.tsx";
import { EmptyState } from "../components/states.tsx";
import { Tabs } from "../components/tabs.tsx";
import { TokenPicture } from "../components/token-picture.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { WalletPanel } from "../components/wallet-panel.tsx";
import { getCollectionLabel, shortenNumber } from "../labels/account.ts";
import { MARKET_LABELS } from "../labels/market.ts";
import { formatDateTime } from "../labels/shared.ts";
import { loadScript } from "../load-script.ts";
import type { PageProps } from "../page-props.ts";
import { type Account, account } from "../wallet/account.ts";
import { client } from "../wallet/service.ts";

const POLL_MS = 10_000;
const LISTINGS_MAX = 60;

const FILTERS = [
  { key: "all", label: MARKET_LABELS.all, href: "/market" },
  { key: "identity", label: MARKET_LABELS.identity, href: "/market?collection=identity" },
  ...games.map(({ slug, title }) => ({ key: slug, label: title, href: `/market?collection=${slug}` })),
];

export function MarketPage({ query }: PageProps) {
  const current = FILTERS.find(({ key }) => key === query.collection)?.key ?? "all";
  const loaded = useLoaded(
    "market",
    async (signal) => {
      const collection = current === "all" ? {} : { collection: current };
      const [listings, { token }] = await Promise.all([
        client.market.listings({ ...collection, limit: LISTINGS_MAX }, { signal }),
        client.stats.tokenomics({}, { signal }),
      ]);
      return { listings: listings.items, token };
    },
    [current],
    POLL_MS,
  );
  const bought = useSignal<{ readonly name: string; readonly txHash: Hex } | null>(null);
  return (
    <>
      <PageHead title={MARKET_LABELS.title} lead={MARKET_LABELS.intro}>
        <Tabs label={MARKET_LABELS.filter} items={FILTERS} current={current} />
      </PageHead>
      {bought.value !== null && (
        <p class="notice" role="status">
          {`${MARKET_LABELS.boughtToken(bought.value.name)} `}
          <Address hex={bought.value.txHash} kind="tx" />
        </p>
      )}
      <Load loaded={loaded}>
        {({ listings, token }) =>
          listings.length === 0 ? (
            <EmptyState>{MARKET_LABELS.empty}</EmptyState>
          ) : (
            <ul class="tokens market">
              {listings.map((listing) => (
                <ListingCard
                  key={listing.listingId}
                  listing={listing}
                  token={token}
                  onBought={(name, txHash) => {
                    bought.value = { name, txHash };
                    loaded.reload();
                  }}
                />
              ))}
            </ul>
          )
        }
      </Load>
      <WalletPanel>{() => null}</WalletPanel>
    </>
  );
}

const formatPrice = ({ price, currency }: Listing, { symbol, decimals }: TokenInfo): string =>
  currency === NATIVE_COIN
    ? `${shortenNumber(formatEther(BigInt(price)))} ETH`
    : `${shortenNumber(formatUnits(BigInt(price), decimals))} ${symbol}`;

interface ListingCardProps {
  readonly listing: Listing;
  readonly token: TokenInfo;
  readonly onBought: (name: string, txHash: Hex) => void;
}

function ListingCard({ listing, token, onBought }: ListingCardProps) {
  const { collection, tokenId, seller, endsAt } = listing;
  const name = `${getCollectionLabel(collection, findGame(collection)?.title)} #${tokenId}`;
  const buyer = account.value;
  return (
    <li class="panel token-card">
      <TokenPicture collection={collection} tokenId={tokenId} name={name} />
      <b>{name}</b>
      <span class="price">{formatPrice(listing, token)}</span>
      <span class="quiet">
        {`${MARKET_LABELS.seller} `}
        <Address hex={seller} />
      </span>
      <span class="quiet">{MARKET_LABELS.ends(formatDateTime(endsAt))}</span>
      {buyer !== null && <BuyButton listing={listing} buyer={buyer} name={name} onBought={onBought} />}
    </li>
  );
}

interface BuyButtonProps {
  readonly listing: Listing;
  readonly buyer: Account;
  readonly name: string;
  readonly onBought: (name: string, txHash: Hex) => void;
}

function BuyButton({ listing, buyer, name, onBought }: BuyButtonProps) {
  if (listing.seller.toLowerCase() === buyer.address.toLowerCase()) return <span>{MARKET_LABELS.own}</span>;
  return (
    <ActionButton
      label={MARKET_LABELS.buy}
      description={name}
      onClick={async () => {
        const { buyListing } = await loadScript(() => import("../market/seaport.ts"));
        onBought(name, await buyListing(buyer, listing));
      }}
    />
  );
}
