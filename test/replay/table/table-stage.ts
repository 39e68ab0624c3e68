import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assembleRecording } from '@reenact/dialects';
import { renderMarkdown, renderText } from '@reenact/replay';
import type { Recording, ReplayReport } from '@reenact/trace-model';
import { readFixture, writeFixture } from '@reenact/trace-model/reading';
import { expect } from 'vitest';
import { recordRun } from '../../e2e/small-stage.ts';
import type { CommandResult } from '../../scenarios/run-command.ts';
import { type Stage, setStage } from '../../scenarios/stage.ts';

const agentFolder = new URL('agent', import.meta.url).pathname;

/** How one replay of the table is run. */
export interface TableReplay {
  /** In what the agent is another one than when it was recorded. */
  readonly change?: string;
  readonly flags?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** A fixture to replay in place of the recorded run. */
  readonly fixture?: string;
}

/** What a replay of the table gave. */
export interface TableResult {
  readonly report: ReplayReport;
  readonly result: CommandResult;
}

/** Without what a format adds: line breaks, and in Markdown the escapes. */
function words(text: string): string {
  return text.replaceAll('\\', '').replaceAll(/\s+/g, ' ');
}

/** A recorded run of one agent of the table, and the built command line to replay it with. */
export class TableStage {
  readonly stage: Stage;
  /** The recorded run as a file. */
  readonly fixture: string;
  private readonly script: string;

  private constructor(stage: Stage, script: string) {
    this.stage = stage;
    this.script = script;
    this.fixture = join(stage.folder, 'run.otlp.jsonl');
  }

  /** Records one run through a real collector and exports it. */
  static async set(script: 'clerk.ts' | 'asker.ts', environment: NodeJS.ProcessEnv = {}): Promise<TableStage> {
    const stage = await setStage({ agentFolder, environment: () => ({ OTEL_SERVICE_NAME: 'table', ...environment }) });
    const { run } = await recordRun(stage, script);
    const table = new TableStage(stage, script);
    const { exitCode, stderr } = await stage.reenact(['export', run.rootSpanId, '--out', table.fixture]);
    if (exitCode !== 0) throw new TypeError(`Nothing was exported: ${stderr}`);
    return table;
  }

  /** The fixture as it was written. */
  get fixtureText(): string {
    return readFileSync(this.fixture, 'utf8');
  }

  /** The recorded run. */
  get recording(): Recording {
    return assembleRecording(readFixture(this.fixtureText, this.fixture));
  }

  /** Writes a recording as a fixture of its own. */
  write(name: string, recording: Recording | string): string {
    const path = join(this.stage.folder, name);
    writeFileSync(path, typeof recording === 'string' ? recording : writeFixture(recording.data));
    return path;
  }

  /** Runs `reenact replay` and nothing more. */
  run({ change, flags = [], environment = {}, fixture = this.fixture }: TableReplay): Promise<CommandResult> {
    const command = ['replay', fixture, ...flags, '--', 'node', this.script];
    return this.stage.reenact(command, { ...(change === undefined ? {} : { CHANGE: change }), ...environment });
  }

  /** Replays and reads the report. */
  async replay(options: TableReplay): Promise<TableResult> {
    const result = await this.run({ ...options, flags: [...(options.flags ?? []), '--json'] });
    if (!result.stdout.startsWith('{')) throw new TypeError(`No report: ${result.stderr}${result.stdout}`);
    return { report: JSON.parse(result.stdout) as ReplayReport, result };
  }
}

/** What the report says about something is in every format of it: where, in words, and what to do next. */
export function expectInEveryFormat(
  report: ReplayReport,
  item: { readonly path: string; readonly message: string; readonly next: string },
): void {
  for (const rendered of [renderText(report, { color: false }), renderMarkdown(report)]) {
    const text = words(rendered);
    for (const part of [item.path, item.message, item.next]) expect(text).toContain(words(part));
    expect(text).not.toContain('undefined');
  }
}
