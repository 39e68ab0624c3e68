import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { assembleRecording } from '@reenact/dialects';
import { type GuardOptions, makePlan, replayCommand } from '@reenact/replay';
import type { Recording, ReplayReport } from '@reenact/trace-model';
import { readFixture } from '@reenact/trace-model/reading';
import { runCommand } from '../../scenarios/run-command.ts';
import type { Attempted } from './agent/attempts.ts';

const agentFolder = new URL('./agent/', import.meta.url).pathname;
const registerUrl = new URL('../../../packages/reenact/dist/register.js', import.meta.url).href;

const guardOnlyUrl = new URL('./agent/guard-only.ts', import.meta.url).href;

/** The agent's run does the same in every stage, so one recording serves them all. */
let recorded: Recording | undefined;

/** How one replay of the agent went. */
export interface GuardedReplay {
  readonly report: ReplayReport;
  /** How each attempt ended, by its name. */
  readonly attempted: ReadonlyMap<string, Attempted>;
  readonly output: string;
}

/** What a replay runs with. */
export interface GuardedReplayOptions {
  /** Module in `agent/` with what the agent's own code tries. */
  readonly attempts?: string;
  /** Module in `agent/` with what is tried while the agent's modules load. */
  readonly attemptsAtStart?: string;
  /** Module in `agent/` with what the tool's code tries. */
  readonly attemptsInTool?: string;
  /** Load `reenact/register` with all its instrumentations, not the guard alone. */
  readonly wholeHook?: boolean;
  readonly live?: string[];
  readonly guard?: GuardOptions;
  readonly environment?: NodeJS.ProcessEnv;
}

/** A folder with a working folder and one for temporary files, and a recorded run of the agent. */
export class GuardStage {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'reenact-guard-')));
  /** The agent's working directory: what must not change. */
  readonly work = join(this.folder, 'work');
  /** What the agent takes for the system's folder for temporary files. */
  readonly temporary = join(this.folder, 'tmp');

  constructor() {
    mkdirSync(this.work);
    mkdirSync(this.temporary);
    writeFileSync(join(this.work, 'package.json'), '{}');
    cpSync(join(agentFolder, 'old-library.cjs'), join(this.work, 'node_modules/old-library/index.js'));
  }

  /** Puts the database into the working folder that the agent finds there. */
  keepDatabase(): void {
    const database = new DatabaseSync(join(this.work, 'kept.db'));
    database.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('as it was')");
    database.close();
  }

  private environment(options: GuardedReplayOptions): NodeJS.ProcessEnv {
    const kept = Object.entries(process.env).filter(
      ([name]) => !/^(OTEL_|REENACT_|NODE_OPTIONS$|TRACEPARENT$|BAGGAGE$|VITEST|FORCE_COLOR$)/.test(name),
    );
    const { attempts, attemptsInTool, attemptsAtStart } = options;
    return {
      ...Object.fromEntries(kept),
      TMPDIR: this.temporary,
      ...(attempts === undefined ? {} : { ATTEMPTS: `./${attempts}.ts` }),
      ...(attemptsInTool === undefined ? {} : { ATTEMPTS_IN_TOOL: `./${attemptsInTool}.ts` }),
      ...(attemptsAtStart === undefined ? {} : { ATTEMPTS_AT_START: `./${attemptsAtStart}.ts` }),
      ...options.environment,
    };
  }

  private command(...flags: string[]): string[] {
    return [process.execPath, ...flags, join(agentFolder, 'agent.ts')];
  }

  /** Runs the agent as if there were no Reenact, to see that the attempts would do something. */
  async runFreely(options: GuardedReplayOptions): Promise<ReadonlyMap<string, Attempted>> {
    const environment = { ...this.environment(options), REENACT_DISABLED: '1' };
    const { stdout, stderr, exitCode } = await runCommand(this.command(), { cwd: this.work, environment });
    if (exitCode !== 0) throw new Error(`The agent failed: ${stderr}`);
    return attemptedIn(stdout);
  }

  /** Records one run; nobody collects it and nothing spools it, so the register hook keeps it in a file and names that. */
  async record(): Promise<string> {
    const nowhere = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', REENACT_SPOOL: 'off' };
    const environment = { ...this.environment({}), ...nowhere };
    const command = this.command('--import', registerUrl);
    const { stderr } = await runCommand(command, { cwd: this.work, environment });
    const path = /kept in ([^;\n]+)/.exec(stderr)?.[1];
    if (path === undefined) throw new Error(`Nothing was recorded: ${stderr}`);
    return path;
  }

  private async recorded(): Promise<Recording> {
    recorded ??= assembleRecording(readFixture(readFileSync(await this.record(), 'utf8')));
    return recorded;
  }

  /** Replays the recorded run with the given attempts beside it. */
  async replay(options: GuardedReplayOptions): Promise<GuardedReplay> {
    const recording = await this.recorded();
    const rootSpanId = recording.roots[0]?.spanId;
    if (rootSpanId === undefined) throw new Error('The recording has no run.');
    const printed = { stdout: '', stderr: '' };
    const report = await replayCommand({
      recording,
      rootSpanId,
      plan: makePlan({ live: options.live ?? [] }, recording),
      guard: options.guard,
      command: this.command(),
      environment: this.environment(options),
      registerUrl: options.wholeHook === true ? registerUrl : guardOnlyUrl,
      stdio: 'pipe',
      directory: this.work,
      onOutput: (text, stream) => {
        printed[stream] += text;
      },
    });
    return { report, attempted: attemptedIn(printed.stdout), output: printed.stdout + printed.stderr };
  }

  /** Removes everything. */
  strike(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function attemptedIn(output: string): ReadonlyMap<string, Attempted> {
  const lines = output.split('\n').filter((line) => line.startsWith('{"name":'));
  return new Map(lines.map((line) => JSON.parse(line) as Attempted).map((attempted) => [attempted.name, attempted]));
}
