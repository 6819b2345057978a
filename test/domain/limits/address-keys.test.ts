import { expect } from "chai";
import { toIpKey, toPrefixKey } from "../../../domain/limits/address-keys.ts";

describe("the key under which an address is limited", () => {
  it("is a /64 of IPv6 in one form, and a whole address of IPv4", () => {
    for (const [ip, key] of [
      ["203.0.113.7", "203.0.113.7"],
      ["::ffff:203.0.113.7", "203.0.113.7"],
      ["::FFFF:203.0.113.7", "203.0.113.7"],
      ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
      ["2001:0DB8:0001:0002:ffff:0:0:1", "2001:db8:1:2"],
      ["2001:db8:1:2::", "2001:db8:1:2"],
      ["2001:db8::", "2001:db8:0:0"],
      ["2001:db8::1", "2001:db8:0:0"],
      ["2001:db8::2:3:4:5:6", "2001:db8:0:2"],
      ["::2:3:4:5:6:7:8", "0:2:3:4"],
      ["::", "0:0:0:0"],
      ["::1", "0:0:0:0"],
    ] as const)
      expect(toIpKey(ip), ip).to.equal(key);
  });

  it("belongs to a network: a /48 of IPv6, a /24 of IPv4", () => {
    expect(toPrefixKey("2001:db8:1:2")).to.equal("2001:db8:1");
    expect(toPrefixKey("203.0.113.7")).to.equal("203.0.113");
  });
});
