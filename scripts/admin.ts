/** `npm run admin`: changes the store, with or without a running server, and the contracts on chain. */

import { BACKUP_COMMANDS } from "./admin/backups.ts";
import { ADMIN_TRANSFER_COMMANDS } from "./admin/chain/admin-transfer.ts";
import { LIMIT_COMMANDS } from "./admin/chain/limits.ts";
import { PAUSE_COMMANDS } from "./admin/chain/pause.ts";
import { ROLE_COMMANDS } from "./admin/chain/roles.ts";
import { SCORE_COMMANDS } from "./admin/chain/scores.ts";
import { SIGNER_COMMANDS } from "./admin/chain/signers.ts";
import { TIMELOCK_COMMANDS } from "./admin/chain/timelock.ts";
import { CYCLE_COMMANDS } from "./admin/cycles.ts";
import { KEY_COMMANDS } from "./admin/keys.ts";
import { LISTING_COMMANDS } from "./admin/listings.ts";
import { RECORD_COMMANDS } from "./admin/records.ts";
import { RESYNC_COMMANDS } from "./admin/resync.ts";
import { SESSION_COMMANDS } from "./admin/sessions.ts";
import { STORE_COMMANDS } from "./admin/store.ts";
import { TRANSACTION_COMMANDS } from "./admin/transactions.ts";
import { VOTING_COMMANDS } from "./admin/voting.ts";
import type { CommandGroup } from "./cli/command.ts";

export const command: CommandGroup = {
  name: "admin",
  summary: "the operator's commands; the audit records changes of the store, the chain those of contracts (chain …)",
  commands: [
    ...VOTING_COMMANDS,
    ...CYCLE_COMMANDS,
    ...SESSION_COMMANDS,
    ...LISTING_COMMANDS,
    ...KEY_COMMANDS,
    ...RECORD_COMMANDS,
    ...BACKUP_COMMANDS,
    ...STORE_COMMANDS,
    ...RESYNC_COMMANDS,
    ...TRANSACTION_COMMANDS,
    ...PAUSE_COMMANDS,
    ...SIGNER_COMMANDS,
    ...SCORE_COMMANDS,
    ...LIMIT_COMMANDS,
    ...ROLE_COMMANDS,
    ...ADMIN_TRANSFER_COMMANDS,
    ...TIMELOCK_COMMANDS,
  ],
};
