import { createRequire } from 'node:module';
import { crossingLine, recordThenReplay } from './record-then-replay.ts';

/** What the parent process asks of this one. */
export interface DriverRequest {
  /** The application, as a path. */
  readonly file: string;
  readonly address: string;
  /** Package and class to instrument with before the application is loaded; undefined: nothing is patched. */
  readonly instrumentation: readonly [packageName: string, className: string] | undefined;
  /** Whether it only runs the application. */
  readonly isPlain: boolean;
}

/** What it prints. */
export interface DriverReport {
  readonly recorded: unknown;
  readonly replayed?: unknown;
  readonly verdict?: string;
  readonly crossings?: readonly string[];
}

interface Application {
  run(address: string): Promise<unknown>;
}

async function instrument([packageName, className]: readonly [string, string]): Promise<void> {
  const instrumentations = (await import(packageName)) as Record<string, new () => unknown>;
  const Instrumentation = instrumentations[className];
  if (Instrumentation === undefined) throw new TypeError(`${packageName} has no ${className}`);
  new Instrumentation();
}

async function load(file: string): Promise<Application> {
  if (file.endsWith('.cjs')) return createRequire(import.meta.url)(file) as Application;
  return (await import(file)) as Application;
}

async function drive({ file, address, instrumentation, isPlain }: DriverRequest): Promise<DriverReport> {
  if (instrumentation !== undefined && !isPlain) await instrument(instrumentation);
  const application = await load(file);
  if (isPlain) return { recorded: await application.run(address) };
  // Only the parent sees the peer; it counts.
  const peer = { address, contacts: 0, stop: async () => undefined };
  const { recorded, recording, report } = await recordThenReplay(peer, () => application.run(address));
  const crossings = recording.crossings.slice(1).map(crossingLine);
  return { recorded, replayed: report.value, verdict: report.verdict, crossings };
}

process.stdout.write(JSON.stringify(await drive(JSON.parse(process.argv[2] ?? '') as DriverRequest)));
