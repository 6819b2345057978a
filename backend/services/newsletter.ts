import type { Clock, NewsletterStore } from "../ports.ts";

export type Newsletter = ReturnType<typeof makeNewsletter>;

/** Who wants to hear from us. The answer never tells whether an address was known. */
export function makeNewsletter({ store, clock }: { readonly store: NewsletterStore; readonly clock: Clock }) {
  return {
    async subscribe(email: string): Promise<{ readonly subscribed: true }> {
      await store.add({ email: email.toLowerCase(), createdAtMs: clock.nowMs() });
      return { subscribed: true };
    },
  };
}
