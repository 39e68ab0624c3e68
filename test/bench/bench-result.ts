import { cpus } from 'node:os';

/** One figure of a benchmark. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What the value is held against, where the project has set itself a goal. */
  readonly goal?: { readonly words: string; readonly isMet: boolean };
}

/** What one benchmark measured in one run on one machine. */
export interface BenchResult {
  readonly name: string;
  /** What was done, in one sentence, with the counts it was done with. */
  readonly what: string;
  readonly figures: readonly Figure[];
}

/** How much a benchmark does. */
export interface BenchSize {
  /** smoke: as little as shows that it still works; its figures mean nothing. */
  readonly isSmoke: boolean;
}

/** The middle of some measurements; NaN of none. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[middle - 1] ?? Number.NaN, sorted[middle] ?? Number.NaN];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

/** How long `work` took, in milliseconds of the clock on the wall, and what it gave. */
export async function timed<Value>(work: () => Value | Promise<Value>): Promise<{ value: Value; ms: number }> {
  const startedAt = performance.now();
  const value = await work();
  return { value, ms: performance.now() - startedAt };
}

/** The value that 99 of 100 do not exceed; NaN of none. */
export function at99Of(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length * 0.99)] ?? Number.NaN;
}

/** How long this thread itself worked, in milliseconds: what other programs took of the machine meanwhile is not in it. */
export async function timedWork<Value>(
  work: () => Value | Promise<Value>,
): Promise<{ value: Value; ms: number; processorMs: number }> {
  const before = process.threadCpuUsage();
  const { value, ms } = await timed(work);
  const { user, system } = process.threadCpuUsage(before);
  return { value, ms, processorMs: (user + system) / 1000 };
}

/** Where the figures come from; they compare only with others of the same run. */
export function machineFacts(): { readonly node: string; readonly processor: string; readonly processors: number } {
  const all = cpus();
  return { node: process.version, processor: all[0]?.model.trim() ?? 'unknown', processors: all.length };
}

function rounded(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(3);
}

/** A result for people. */
export function describeResult({ name, what, figures }: BenchResult): string {
  const width = Math.max(...figures.map((figure) => figure.name.length));
  const lines = figures.map(({ name: label, value, unit, goal }) => {
    const verdict = goal === undefined ? '' : `  ${goal.isMet ? '✓' : '✗'} goal: ${goal.words}`;
    return `  ${label.padEnd(width)}  ${rounded(value).padStart(8)} ${unit}${verdict}`;
  });
  return [`${name}: ${what}`, ...lines, ''].join('\n');
}

/**
 * Runs the benchmarks that the command line names, all where it names none, and prints what they measured; `--json` prints
 * one document, `--smoke` does as little as shows that they work.
 */
export async function runBenchmarks(
  benchmarks: Readonly<Record<string, (size: BenchSize) => Promise<BenchResult>>>,
): Promise<void> {
  const parameters = process.argv.slice(2);
  const names = parameters.filter((parameter) => !parameter.startsWith('--'));
  const isJson = parameters.includes('--json');
  const isSmoke = parameters.includes('--smoke');
  const unknown = names.find((name) => benchmarks[name] === undefined);
  if (unknown !== undefined) {
    console.error(`There is no benchmark "${unknown}": use ${Object.keys(benchmarks).join(', ')}.`);
    process.exitCode = 2;
    return;
  }
  const machine = machineFacts();
  if (!isJson) console.log(`Node.js ${machine.node}, ${machine.processors} × ${machine.processor}\n`);
  const results: BenchResult[] = [];
  for (const [name, run] of Object.entries(benchmarks)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const result = await run({ isSmoke });
    results.push(result);
    if (!isJson) console.log(describeResult(result));
  }
  if (isJson) console.log(JSON.stringify({ machine, isSmoke, results }, null, 2));
}
