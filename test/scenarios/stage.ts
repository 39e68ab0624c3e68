import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type CollectorAccess, collectorAccess } from './collector-access.ts';
import {
  type CommandOptions,
  type CommandResult,
  type RunningCommand,
  runCommand,
  startCommand,
} from './run-command.ts';

const root = new URL('../..', import.meta.url).pathname;
const reenactCommand = [process.execPath, join(root, 'packages/reenact/bin/reenact.mjs')];

/** A folder of its own, a collector on free ports, and an agent's folder to run commands in. */
export interface Stage {
  /** Removed when the stage is struck. */
  readonly folder: string;
  readonly collectorUrl: string;
  /** The collector's gRPC port. */
  readonly grpcUrl: string;
  /** What commands of this stage show to the collector. */
  readonly access: CollectorAccess;
  /** Runs node in the agent's folder. */
  node(parameters: readonly string[], environment?: NodeJS.ProcessEnv): Promise<CommandResult>;
  /** Starts node in the agent's folder; it goes on until it is stopped. */
  start(parameters: readonly string[], environment?: NodeJS.ProcessEnv): Promise<RunningCommand>;
  /** Runs `reenact …` in the agent's folder. */
  reenact(parameters: readonly string[], environment?: NodeJS.ProcessEnv): Promise<CommandResult>;
  /** What it takes to start `reenact …` in the agent's folder oneself. */
  reenactCommand(parameters: readonly string[], environment?: NodeJS.ProcessEnv): SpawnCommand;
  stopCollector(): Promise<void>;
  stop(): Promise<void>;
}

/** A command as `spawn` takes it. */
export interface SpawnCommand {
  readonly program: string;
  readonly parameters: string[];
  readonly options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv };
}

/** What a stage is set for. */
export interface StageOptions {
  readonly agentFolder: string;
  /** Given the stage's folder, what every command finds in its environment. */
  readonly environment: (folder: string) => NodeJS.ProcessEnv;
  /** Given to `reenact collect` beside where it listens and keeps its data. */
  readonly collectFlags?: readonly string[];
}

/** The machine's environment without what would reach into the stage; `node` is the one that runs this. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(OTEL_|REENACT_|npm_config_user_agent$|NODE_OPTIONS$|TRACEPARENT$|BAGGAGE$|VITEST|FORCE_COLOR$)/.test(name),
  );
  const nodeFolder = join(process.execPath, '..');
  return { ...Object.fromEntries(kept), PATH: `${nodeFolder}${delimiter}${process.env.PATH ?? ''}` };
}

class CommandStage implements Stage {
  readonly folder: string;
  readonly collectorUrl: string;
  readonly grpcUrl: string;
  readonly access: CollectorAccess;
  private readonly collector: RunningCommand;
  private readonly options: StageOptions;
  private isCollecting = true;

  constructor(folder: string, collector: RunningCommand, options: StageOptions) {
    this.folder = folder;
    this.collector = collector;
    this.options = options;
    const { httpUrl, grpcUrl } = JSON.parse(collector.firstLine) as { httpUrl: string; grpcUrl: string };
    this.collectorUrl = httpUrl;
    this.grpcUrl = grpcUrl;
    this.access = collectorAccess(options.environment(folder));
  }

  private commandOptions(more: NodeJS.ProcessEnv = {}): CommandOptions {
    const environment = {
      ...cleanEnvironment(),
      OTEL_EXPORTER_OTLP_ENDPOINT: this.collectorUrl,
      REENACT_COLLECTOR: this.collectorUrl,
      REENACT_SPOOL_DIR: join(this.folder, 'spool'),
      ...this.options.environment(this.folder),
      ...more,
    };
    return { cwd: this.options.agentFolder, environment };
  }

  private run(command: readonly string[], more?: NodeJS.ProcessEnv): Promise<CommandResult> {
    return runCommand(command, this.commandOptions(more));
  }

  node(parameters: readonly string[], environment?: NodeJS.ProcessEnv): Promise<CommandResult> {
    return this.run([process.execPath, ...parameters], environment);
  }

  start(parameters: readonly string[], environment?: NodeJS.ProcessEnv): Promise<RunningCommand> {
    return startCommand([process.execPath, ...parameters], this.commandOptions(environment));
  }

  reenact(parameters: readonly string[], environment?: NodeJS.ProcessEnv): Promise<CommandResult> {
    return this.run([...reenactCommand, ...parameters], environment);
  }

  reenactCommand(parameters: readonly string[], environment?: NodeJS.ProcessEnv): SpawnCommand {
    const [program = '', ...own] = reenactCommand;
    const { cwd, environment: env } = this.commandOptions(environment);
    return { program, parameters: [...own, ...parameters], options: { cwd, env } };
  }

  async stopCollector(): Promise<void> {
    if (!this.isCollecting) return;
    this.isCollecting = false;
    await this.collector.stop();
  }

  async stop(): Promise<void> {
    await this.stopCollector();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Lists are whole on a busy machine too: below the time after which a client gives up. */
const patientCollector = { REENACT_COLLECTOR_LIMITS: JSON.stringify({ summaryWaitMs: 25_000 }) };

/** What a killed process left is taken by who asks for it: else it might come while the runs of another are counted. */
const leavesSpool = { REENACT_SPOOL: 'off' };

/** Sets a stage: makes its folder and starts `reenact collect` on free ports. */
export async function setStage(options: StageOptions): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'reenact-stage-'));
  const parameters = ['collect', '--http-port', '0', '--grpc-port', '0', '--data', join(folder, 'data'), '--json'];
  parameters.push(...(options.collectFlags ?? []));
  try {
    const collector = await startCommand([...reenactCommand, ...parameters], {
      cwd: folder,
      environment: { ...cleanEnvironment(), ...leavesSpool, ...patientCollector },
    });
    return new CommandStage(folder, collector, options);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
