import { expect } from "chai";
import { type Place, Places, type Worth } from "../../../domain/limits/places.ts";

describe("places with fair shares", () => {
  let evicted: string[];
  beforeEach(() => {
    evicted = [];
  });

  /** Acquires places named by address and number. */
  function createPlaces(options: ConstructorParameters<typeof Places>[0]) {
    const places = new Places(options);
    let number = 0;
    const acquire = (ip: string, worth: Worth = "busy"): Place | null => {
      const name = `${ip} ${++number}`;
      return places.acquire(ip, worth, () => evicted.push(name));
    };
    return { places, acquire };
  }

  it("are all given out before one is reclaimed", () => {
    const { places, acquire } = createPlaces({ inAll: 3, perIp: null });
    for (let i = 0; i < 3; i += 1) acquire("10.0.0.1");
    expect([places.count, evicted.length]).to.deep.equal([3, 0]);
    acquire("10.0.0.2");
    expect([places.count, evicted]).to.deep.equal([3, ["10.0.0.1 1"]]);
  });

  it("are reclaimed from the fullest network, then its fullest address, idle ones first, then the oldest", () => {
    const { acquire } = createPlaces({ inAll: 8, perIp: null });
    acquire("10.0.1.1", "idle");
    acquire("10.0.2.1", "idle");
    for (const worth of ["busy", "idle", "waiting", "idle", "player"] as const) acquire("10.0.2.2", worth);
    acquire("10.0.3.1");
    for (let i = 0; i < 5; i += 1) acquire(`10.1.${i}.1`);
    // Among equally full networks or addresses, the oldest place goes first.
    expect(evicted).to.deep.equal(["10.0.2.2 4", "10.0.2.2 6", "10.0.2.2 3", "10.0.2.1 2", "10.0.1.1 1"]);
  });

  it("count the addresses of an IPv6 /48 as one network", () => {
    const { acquire } = createPlaces({ inAll: 3, perIp: null });
    acquire("192.0.2.1");
    for (const subnet of ["1", "2", "3"]) acquire(`2001:db8:0:${subnet}`);
    expect(evicted).to.deep.equal(["2001:db8:0:1 2"]);
  });

  it("can be claimed by a network with at least two guests fewer than the fullest", () => {
    const { places, acquire } = createPlaces({ inAll: 9, perIp: null });
    expect(places.hasClaim("10.0.0.1")).to.equal(false);
    for (const ip of ["10.0.1.1", "10.0.1.2", "10.0.2.1"]) acquire(ip);
    for (const ip of ["10.0.3.1", "10.0.1.1"]) acquire(ip, "player");
    expect(["1", "2", "3"].map((n) => places.hasClaim(`10.0.${n}.9`))).to.deep.equal([false, false, true]);
  });

  it("of players go only to players", () => {
    const { acquire } = createPlaces({ inAll: 2, perIp: null });
    acquire("10.0.0.1", "player");
    acquire("10.0.0.1", "player");
    const newcomer = acquire("10.0.1.1")!;
    expect(evicted).to.deep.equal(["10.0.0.1 1"]);
    newcomer.setWorth("player");
    newcomer.setWorth("idle");
    expect(newcomer.worth).to.equal("player");
    acquire("10.0.2.1");
    acquire("10.0.3.1");
    // A guest gives way before players.
    expect(evicted).to.deep.equal(["10.0.0.1 1", "10.0.0.1 2", "10.0.2.1 4"]);
  });

  it("of an address are reclaimed within it, but not for a 4th holder while players have all three", () => {
    const { places, acquire } = createPlaces({ inAll: 9, perIp: 3 });
    const held = [acquire("10.0.0.1"), acquire("10.0.0.1", "idle"), acquire("10.0.0.1")];
    held.push(acquire("10.0.0.1"));
    expect(evicted).to.deep.equal(["10.0.0.1 2"]);
    for (const place of held) place!.setWorth("player");
    expect(acquire("10.0.0.1")).to.equal(null);
    expect(acquire("10.0.0.2")).to.not.equal(null);
    expect(places.countAddresses()).to.equal(2);
  });

  it("without a request are limited per address, even if they become so later", () => {
    const { places, acquire } = createPlaces({ inAll: 9, perIp: 9, waitingPerIp: 2 });
    const [first] = [acquire("10.0.0.1")!, acquire("10.0.0.1", "waiting"), acquire("10.0.0.1", "waiting")];
    expect([evicted, places.countWaiting()]).to.deep.equal([[], 2]);
    acquire("10.0.0.1", "waiting");
    expect(evicted).to.deep.equal(["10.0.0.1 2"]);
    first.setWorth("waiting");
    expect(evicted).to.deep.equal(["10.0.0.1 2", "10.0.0.1 1"]);
  });

  it("are released once, and an evicted one needs no release", () => {
    const { places, acquire } = createPlaces({ inAll: 2, perIp: null });
    const [first, second] = [acquire("10.0.0.1")!, acquire("10.0.0.1")!];
    first.release();
    first.release();
    first.setWorth("player");
    expect([places.count, places.countAddresses()]).to.deep.equal([1, 1]);
    second.release();
    expect([places.count, places.countAddresses()]).to.deep.equal([0, 0]);
    expect(evicted).to.deep.equal([]);
  });
});
