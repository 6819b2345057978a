/** The agent's public profile: name and a few words. */
import { useSignal } from "@preact/signals";
import type { AgentProfile } from "../../client/api.ts";
import { ActionButton } from "../components/action-button.tsx";
import { LinkedAgent } from "../components/linked-agent.tsx";
import { Portrait } from "../components/portrait.tsx";
import { ACCOUNT_LABELS, STEP_TEXTS } from "../labels/account.ts";
import type { Account } from "../wallet/account.ts";

interface ProfileFormProps {
  readonly account: Account;
  readonly profile: AgentProfile | null;
  readonly onChanged: () => void;
}

const NAME_LENGTH_MAX = 32;
const BIO_LENGTH_MAX = 280;

export function ProfileForm({ account, profile, onChanged }: ProfileFormProps) {
  const name = useSignal(profile?.agentName ?? STEP_TEXTS.agentName(account.address));
  const bio = useSignal(profile?.bio ?? "");
  const isSaved = useSignal(false);
  const save = async (): Promise<void> => {
    isSaved.value = false;
    await account.client.identity.profileUpsert({ agentName: name.value.trim(), bio: bio.value.trim() });
    isSaved.value = true;
    onChanged();
  };
  return (
    <section class="section" aria-labelledby="profile-title">
      <h2 id="profile-title">{ACCOUNT_LABELS.profile}</h2>
      <div class="profile">
        <Portrait holder={account.address} class="portrait-large" />
        <div class="form">
          <LinkedAgent profile={profile} />
          <label>
            {ACCOUNT_LABELS.name}
            <input
              type="text"
              maxLength={NAME_LENGTH_MAX}
              value={name.value}
              onInput={({ currentTarget }) => {
                name.value = currentTarget.value;
              }}
            />
          </label>
          <label>
            {ACCOUNT_LABELS.bio}
            <textarea
              rows={3}
              maxLength={BIO_LENGTH_MAX}
              value={bio.value}
              onInput={({ currentTarget }) => {
                bio.value = currentTarget.value;
              }}
            />
          </label>
          <ActionButton label={ACCOUNT_LABELS.save} isQuiet isDisabled={name.value.trim() === ""} onClick={save} />
          <span role="status">{isSaved.value ? ACCOUNT_LABELS.saved : ""}</span>
        </div>
      </div>
    </section>
  );
}
