const { runLife } = await import("./simulate/life/life.ts");
const { createScenery } = await import("./simulate/life/scenery.ts");
const scenery = await createScenery();
Error.stackTraceLimit = 0;
async function time(name: string, options: object, from: number, n: number) {
  const c0 = process.cpuUsage(); let steps = 0, sim = 0;
  for (let i = 0; i < n; i++) { const r = await runLife({ scenery, seed: from + i, ...options }); steps += r.steps; sim += r.simulatedMs; }
  const c = process.cpuUsage(c0);
  console.log(name, ((c.user + c.system) / 1000 / n).toFixed(1), "ms", (steps / n).toFixed(0), "steps", (sim / n / 1000).toFixed(1), "s");
}
await time("warm", {}, 10_000_000, 100);
await time("full", {}, 10_000_100, 150);
await time("plan []", { plan: [] }, 10_000_100, 150);
await time("plan [] 1 backend", { plan: [], backends: 1 }, 10_000_100, 150);
await time("full 1 backend", { backends: 1 }, 10_000_100, 150);
process.exit(0);
