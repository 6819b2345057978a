/** Whether the service pays the gas of this page's steps, as chosen by the user. */
import { type Signal, signal } from "@preact/signals";
import type { Answer } from "../../client/api.ts";
import { client } from "./service.ts";

type Sponsorship = Extract<Answer<"relays.gates">["sponsorship"], { readonly enabled: true }>;

export const isSponsored: Signal<boolean> = signal(false);

/** The option for the client's flows. */
export const toSponsorOption = (): { readonly sponsor?: true } => (isSponsored.value ? { sponsor: true } : {});

/** What the service pays today; null if nothing, or if it does not report it. */
export async function loadSponsorship(): Promise<Sponsorship | null> {
  const { sponsorship } = await client.relays.gates({}).catch(() => ({ sponsorship: { enabled: false } as const }));
  return sponsorship.enabled ? sponsorship : null;
}
