import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ReplayReport } from '@reenact/trace-model';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { type CommandResult, runCommand } from '../../scenarios/run-command.ts';
import { type Stage, setStage } from '../../scenarios/stage.ts';
import type { PythonEnvironment } from './python-environment.ts';
import { startShopProvider } from './shop-provider.ts';

const agentFolder = new URL('.', import.meta.url).pathname;

/** A collector, and a Python agent whose provider is up only while it is recorded. */
export interface PythonStage extends Stage {
  /** Records the agent with OpenTelemetry's own instrumentation and gives its run. */
  record(python: PythonEnvironment, capture: string): Promise<{ readonly run: RunSummary; readonly output: string }>;
  /** Serves the run to the same agent without any instrumentation; the provider is down. */
  serve(id: string, python: PythonEnvironment, environment?: NodeJS.ProcessEnv): Promise<CommandResult>;
  /** Names of the tools that ran since this was asked last. */
  toolsRun(): string[];
}

/** The report that `--json` printed. */
export function reportOf({ stdout, stderr }: CommandResult): ReplayReport {
  try {
    return JSON.parse(stdout) as ReplayReport;
  } catch {
    throw new Error(`there is no report: ${stdout}${stderr}`);
  }
}

async function runsOf(stage: Stage): Promise<RunSummary[]> {
  const { stdout } = await stage.reenact(['runs', '--json']);
  return (JSON.parse(stdout) as { runs: RunSummary[] }).runs;
}

/** Sets the stage. */
export async function setPythonStage(): Promise<PythonStage> {
  const stage = await setStage({ agentFolder, environment: (folder) => ({ TOOL_LOG: join(folder, 'tools.log') }) });
  const toolLog = join(stage.folder, 'tools.log');
  const record: PythonStage['record'] = async ({ python, launcher }, capture) => {
    const provider = await startShopProvider();
    const known = new Set((await runsOf(stage)).map(({ traceId }) => traceId));
    try {
      const { stdout, stderr, exitCode } = await runCommand([launcher, python, 'agent.py'], {
        cwd: agentFolder,
        environment: {
          PATH: process.env.PATH,
          PYTHONIOENCODING: 'utf-8',
          TOOL_LOG: toolLog,
          OPENAI_BASE_URL: provider.baseUrl,
          OPENAI_API_KEY: 'local',
          OTEL_SERVICE_NAME: 'support',
          OTEL_EXPORTER_OTLP_ENDPOINT: stage.collectorUrl,
          OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
          OTEL_METRICS_EXPORTER: 'none',
          OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: capture,
        },
      });
      const run = (await runsOf(stage)).find(({ traceId }) => !known.has(traceId));
      if (exitCode !== 0 || run === undefined) throw new Error(`nothing was recorded: ${stdout}${stderr}`);
      return { run, output: stdout };
    } finally {
      await provider.stop();
    }
  };
  return Object.assign(stage, {
    record,
    serve: (id: string, { python }: PythonEnvironment, environment: NodeJS.ProcessEnv = {}) =>
      stage.reenact(['serve', id, '--json', '--', python, 'agent.py'], { PYTHONIOENCODING: 'utf-8', ...environment }),
    toolsRun: () => {
      const names = readFileSync(toolLog, 'utf8').trimEnd().split('\n');
      rmSync(toolLog);
      return names.map((line) => line.split(' ')[0] ?? '');
    },
  });
}
