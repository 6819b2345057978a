/** The agent's public profile: name and a few words. */
import { useSignal } from "@preact/signals";
import type { AgentProfile } from "../../client/api.ts";
import { ActionButton } from "../components/action-button.tsx";
import { Portrait } from "../components/portrait.tsx";
import { ACCOUNT_LABELS } from "../labels/account.ts";
import type { Account } from "../wallet/account.ts";

interface ProfileFormProps {
  readonly account: Account;
  readonly profile: AgentProfile | null;
  /** Without a profile: the name in the agent's runs. */
  readonly playedName: string | null;
  readonly onChanged: () => void;
}

const NAME_LENGTH_MAX = 32;
const BIO_LENGTH_MAX = 280;

export function ProfileForm({ account, profile, playedName, onChanged }: ProfileFormProps) {
  const before = { name: profile?.agentName ?? playedName ?? "", bio: profile?.bio ?? "" };
  const name = useSignal(before.name);
  const bio = useSignal(before.bio);
  const isSaved = useSignal(false);
  const save = async (): Promise<void> => {
    isSaved.value = false;
    const [agentName, newBio] = [name.value.trim(), bio.value.trim()];
    // The first profile starts with the values of the registration; the form overrides them.
    await account.client.identity.profileUpsert({
      ...(agentName === before.name ? {} : { agentName }),
      ...(newBio === before.bio ? {} : { bio: newBio }),
    });
    isSaved.value = true;
    onChanged();
  };
  return (
    <section class="section" aria-labelledby="profile-title">
      <h2 id="profile-title">{ACCOUNT_LABELS.profile}</h2>
      <div class="profile">
        <Portrait holder={account.address} class="portrait-large" />
        <div class="form">
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
          <ActionButton
            label={ACCOUNT_LABELS.save}
            isQuiet
            isDisabled={name.value.trim() === "" && before.name !== ""}
            onClick={save}
          />
          <span role="status">{isSaved.value ? ACCOUNT_LABELS.saved : ""}</span>
        </div>
      </div>
    </section>
  );
}
