import { expect } from "chai";
import { findGame } from "../../backend/games/index.ts";
import { Seats } from "../../backend/services/live/seats.ts";
import { Steering } from "../../backend/services/live/steering.ts";

describe("steering", () => {
  const shellrunners = findGame("shellrunners")!;
  const [none, left, right] = shellrunners.inputs.map((input) => input.message);

  it("gives the latest direction once, and nothing where it is in force already", () => {
    const steering = new Steering(shellrunners);
    expect(steering.take()).to.deep.equal([]);
    steering.accept(none!);
    expect(steering.take()).to.deep.equal([]);
    steering.accept(left!);
    steering.accept(right!);
    expect([steering.take(), steering.take()]).to.deep.equal([[2], []]);
    steering.accept(right!);
    expect(steering.take()).to.deep.equal([]);
    steering.accept(left!);
    steering.accept(right!);
    expect(steering.take()).to.deep.equal([]);
  });

  it("lets go when nobody steers", () => {
    const steering = new Steering(shellrunners);
    steering.accept(left!);
    steering.take();
    steering.accept(right!);
    steering.release();
    expect([steering.take(), steering.take()]).to.deep.equal([[0], []]);
  });

  it("knows after a restart which direction is in force", () => {
    const steering = new Steering(shellrunners, [
      [3, 1],
      [9, 10],
    ]);
    steering.accept(left!);
    expect(steering.take()).to.deep.equal([]);
    steering.release();
    expect(steering.take()).to.deep.equal([0]);
  });

  it("knows no message of another game", () => {
    expect(new Steering(shellrunners).accept({ t: "action", action: "FLAP" })).to.equal(false);
    expect(new Steering(findGame("flappybots")!).accept({ t: "action", action: "constructor" })).to.equal(false);
  });
});

describe("seats", () => {
  const seat = (tokenHash: string, expiresAtMs = 1000) => ({ tokenHash, ip: "::1", expiresAtMs, perIpMax: null });

  it("seats a viewer whose reservation a restart has forgotten while there is room", () => {
    const seats = new Seats(1);
    expect(seats.take("a", null, 0)).to.equal(true);
    expect(seats.take("b", null, 0)).to.equal(false);
    seats.leave("a");
    expect(seats.reserve(seat("c"), 0)).to.equal(true);
    expect(seats.take("b", null, 0)).to.equal(false);
    expect(seats.take("c", null, 0)).to.equal(true);
    expect([seats.connected, seats.count(0)]).to.deep.equal([1, 1]);
  });

  it("never seats more than its maximum, whoever comes first", () => {
    const seats = new Seats(3);
    const reserved = Array.from({ length: 100 }, (_, i) => seats.reserve(seat(`s${i}`), 0));
    expect(reserved.filter(Boolean)).to.have.length(3);
    expect(seats.reserve(seat("late"), 999)).to.equal(false);
    expect(seats.reserve(seat("late"), 1000)).to.equal(true);
  });
});
