import { medianOf } from './bench-result.ts';

/** One of the things compared: `run` makes `calls` calls, `flush` sees to it that all of them were exported. */
export interface Arm {
  readonly name: string;
  readonly run: (calls: number) => Promise<unknown>;
  readonly flush: () => Promise<void>;
}

/** What one arm cost per call, microseconds of processor time: until the host goes on, and in all with what was exported afterwards. */
export interface Cost {
  readonly name: string;
  readonly pathUs: number;
  readonly cpuUs: number;
}

async function measure(arm: Arm, calls: number): Promise<{ pathUs: number; cpuUs: number }> {
  const before = process.cpuUsage();
  const perCall = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / calls;
  await arm.run(calls);
  const pathUs = perCall(process.cpuUsage(before));
  await arm.flush();
  return { pathUs, cpuUs: perCall(process.cpuUsage(before)) };
}

/** How much is compared. */
export interface ComparisonSize {
  readonly rounds: number;
  readonly calls: number;
}

/** Runs the arms in turn, round after round, so that whatever else the machine does hits all alike; medians. */
export async function compare(arms: readonly Arm[], { rounds, calls }: ComparisonSize): Promise<Cost[]> {
  const samples = arms.map(() => [] as { pathUs: number; cpuUs: number }[]);
  for (const arm of arms) for (let warmUp = 0; warmUp < Math.min(rounds, 5); warmUp += 1) await measure(arm, calls);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, arm] of arms.entries()) samples[index]?.push(await measure(arm, calls));
  }
  return arms.map(({ name }, index) => {
    const own = samples[index] ?? [];
    return { name, pathUs: medianOf(own.map(({ pathUs }) => pathUs)), cpuUs: medianOf(own.map(({ cpuUs }) => cpuUs)) };
  });
}
