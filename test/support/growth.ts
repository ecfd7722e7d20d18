/** Milliseconds of the fastest of several runs: other processes make a run slower, never faster. */
async function fastestOf(runs: number, work: () => unknown): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const startedAt = performance.now();
    await work();
    fastest = Math.min(fastest, performance.now() - startedAt);
  }
  return fastest;
}

/** How many times longer one piece of work takes than another one, by the fastest of five runs each, after one to warm up. */
export async function costRatio(work: () => unknown, reference: () => unknown): Promise<number> {
  await reference();
  await work();
  const [ours, theirs] = [await fastestOf(5, work), await fastestOf(5, reference)];
  return ours / theirs;
}
