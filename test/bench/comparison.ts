/** Whether only to see that the benchmark works. */
export const isSmoke = process.argv.includes('--smoke');

/** One of the things compared: `run` makes `calls` calls, `flush` sees to it that all of them were exported. */
export interface Arm {
  readonly name: string;
  readonly run: (calls: number) => Promise<unknown>;
  readonly flush: () => Promise<void>;
}

/** What one arm cost per call, microseconds: on the host's path, and in all with what was exported afterwards. */
export interface Cost {
  readonly name: string;
  readonly pathUs: number;
  readonly cpuUs: number;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

async function measure(arm: Arm, calls: number): Promise<{ pathUs: number; cpuUs: number }> {
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  await arm.run(calls);
  const pathUs = ((performance.now() - start) * 1_000) / calls;
  await arm.flush();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { pathUs, cpuUs: (user + system) / calls };
}

/** Runs the arms in turn, round after round, so that whatever else the machine does hits all alike; medians. */
export async function compare(arms: readonly Arm[], rounds: number, calls: number): Promise<Cost[]> {
  const samples = arms.map(() => [] as { pathUs: number; cpuUs: number }[]);
  for (const arm of arms) for (let warmUp = 0; warmUp < Math.min(rounds, 5); warmUp += 1) await measure(arm, calls);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, arm] of arms.entries()) samples[index]?.push(await measure(arm, calls));
  }
  return arms.map(({ name }, index) => {
    const own = samples[index] ?? [];
    return { name, pathUs: median(own.map(({ pathUs }) => pathUs)), cpuUs: median(own.map(({ cpuUs }) => cpuUs)) };
  });
}

/** Prints each arm beside the first one, as ratios. */
export function printComparison(costs: readonly Cost[]): void {
  const [base] = costs;
  for (const { name, pathUs, cpuUs } of costs) {
    const ratios =
      base === undefined ? '' : ` · ${(pathUs / base.pathUs).toFixed(2)}× / ${(cpuUs / base.cpuUs).toFixed(2)}×`;
    console.log(`${name}: ${pathUs.toFixed(1)} µs on the path, ${cpuUs.toFixed(1)} µs of CPU with export${ratios}`);
  }
}
