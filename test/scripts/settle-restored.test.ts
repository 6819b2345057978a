import { expect } from "chai";
import { settleRestored } from "../../backend/app/restore-backup.ts";

describe("store settle", () => {
  it("rejects the restored database as the replaced one, under any user", async () => {
    const databaseUrl = "postgres://arcade@127.0.0.1:1/restored";
    for (const replacedUrl of [databaseUrl, "postgres://other:secret@127.0.0.1:1/restored"]) {
      const options = { databaseUrl, replacedUrl } as Parameters<typeof settleRestored>[0];
      const error: Error = await settleRestored(options).then(
        () => expect.fail(),
        (thrown: Error) => thrown,
      );
      expect(error.message).to.equal("--replaced: expected the database before, received the restored one.");
      expect(error.message).to.not.include("secret");
    }
  });
});
