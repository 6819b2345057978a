import { createHash } from "node:crypto";
import { expect } from "chai";
import { z } from "zod";
import * as messages from "../../backend/adapters/live-plane/plane-messages.ts";
import { PLANE_VERSION } from "../../backend/adapters/live-plane/subjects.ts";

/** The digest of each version's messages. A change of a message requires the next version. */
const DIGESTS: { readonly [version: number]: string } = { 1: "7fcd9fed738b189d" };

describe("the messages between nodes", () => {
  it("match their version's digest", () => {
    const schemas = Object.entries(messages).flatMap(([name, value]) =>
      value instanceof z.ZodType ? [[name, z.toJSONSchema(value, { io: "input" })] as const] : [],
    );
    expect(schemas.length).to.be.greaterThan(8);
    const digest = createHash("sha256")
      .update(JSON.stringify(schemas.toSorted(([a], [b]) => (a < b ? -1 : 1))))
      .digest("hex");
    expect(digest.slice(0, 16), "raise PLANE_VERSION and add its digest").to.equal(DIGESTS[PLANE_VERSION]);
  });
});
