import type { ReplayReport } from '@reenact/trace-model';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import type { CommandResult } from '../scenarios/run-command.ts';
import { runsOf } from '../scenarios/runs-of.ts';
import { type Stage, setStage } from '../scenarios/stage.ts';
import { type EchoProvider, startEchoProvider } from './provider.ts';

const agentFolder = new URL('../scenarios/small/agent', import.meta.url).pathname;

/** A stage for the small agents. */
export function setSmallStage(environment: NodeJS.ProcessEnv = {}): Promise<Stage> {
  return setStage({ agentFolder, environment: () => ({ OTEL_SERVICE_NAME: 'small', ...environment }) });
}

/** A stage with a provider whose answers do not matter. */
export interface EchoStage extends Stage {
  readonly provider: EchoProvider;
}

/** A stage whose agents, the small ones or those of another folder, ask a provider that says back what it was asked and ends with the stage. */
export async function setEchoStage(folder?: string): Promise<EchoStage> {
  const provider = await startEchoProvider();
  const { environment } = provider;
  const stage = await (folder === undefined
    ? setSmallStage(environment)
    : setStage({ agentFolder: folder, environment: () => environment }));
  const stop = stage.stop.bind(stage);
  const stopBoth = async (): Promise<void> => {
    await stop();
    await provider.stop();
  };
  return Object.assign(stage, { provider, stop: stopBoth });
}

/** Runs an agent, `script` with its arguments, with the register hook and gives the run the collector then has. */
export async function recordRun(
  stage: Stage,
  script: string | readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ run: RunSummary; recorded: CommandResult }> {
  const before = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
  const recorded = await stage.node(['--import', 'reenact/register', ...[script].flat()], environment);
  const added = (await listRuns(stage)).filter(({ traceId }) => !before.has(traceId));
  const [run, ...others] = added;
  if (run === undefined || others.length > 0) {
    throw new Error(
      `${[script].flat().join(' ')} made ${added.length} runs instead of one.\n${recorded.stdout}${recorded.stderr}`,
    );
  }
  return { run, recorded };
}

/** What the collector of a stage has, replays too. */
export function listRuns(stage: Stage): Promise<RunSummary[]> {
  return runsOf(stage, { replays: 'include' });
}

/** Replays with `--json` and gives the report beside how the command ended. */
export async function replayAsJson(
  stage: Stage,
  id: string,
  script: string | readonly string[],
  { flags = [], environment = {} }: { flags?: readonly string[]; environment?: NodeJS.ProcessEnv } = {},
): Promise<{ report: ReplayReport; result: CommandResult }> {
  const result = await stage.reenact(['replay', id, ...flags, '--json', '--', 'node', ...[script].flat()], environment);
  try {
    return { report: JSON.parse(result.stdout) as ReplayReport, result };
  } catch {
    throw new Error(`reenact replay printed no report (exit ${result.exitCode}): ${result.stdout}${result.stderr}`);
  }
}
