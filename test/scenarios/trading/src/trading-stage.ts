import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type LocalProvider, startLocalProvider } from './local-provider.ts';
import { type CommandResult, type RunningCommand, runCommand, startCommand } from './run-command.ts';

/** One order in the ledger file. */
export interface LedgerRow {
  readonly symbol: string;
  readonly side: string;
  readonly quantity: number;
  readonly price: number;
}

/** The provider, the collector, the agent and its ledger, on free ports and in a folder of their own. */
export interface TradingStage {
  readonly provider: LocalProvider;
  readonly folder: string;
  readonly collectorUrl: string;
  /** Runs `node --import reenact/register app.ts`, as in production. */
  record(environment?: NodeJS.ProcessEnv): Promise<CommandResult>;
  /** Runs `reenact …`. */
  reenact(parameters: readonly string[], environment?: NodeJS.ProcessEnv): Promise<CommandResult>;
  ledgerRows(): LedgerRow[];
  /** SHA-256 over the ledger file's bytes. */
  ledgerDigest(): string;
  stopCollector(): Promise<void>;
  stop(): Promise<void>;
}

const root = new URL('../../../..', import.meta.url).pathname;
const agentFolder = new URL('../agent', import.meta.url).pathname;
const reenactCommand = [process.execPath, join(root, 'packages/reenact/bin/reenact.mjs')];

/** The agent's folder, where a user would type the commands. */
export const AGENT_COMMAND = ['node', 'app.ts'] as const;

class Stage implements TradingStage {
  readonly provider: LocalProvider;
  readonly folder: string;
  readonly collectorUrl: string;
  private readonly collector: RunningCommand;
  private isCollecting = true;

  constructor(folder: string, provider: LocalProvider, collector: RunningCommand) {
    this.folder = folder;
    this.provider = provider;
    this.collector = collector;
    this.collectorUrl = (JSON.parse(collector.firstLine) as { httpUrl: string }).httpUrl;
  }

  private environment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    const useRealProvider = (process.env.OPENAI_API_KEY ?? '') !== '' && process.env.TRADING_LOCAL_PROVIDER !== '1';
    return {
      ...stageEnvironment(),
      OTEL_SERVICE_NAME: 'trading',
      OTEL_EXPORTER_OTLP_ENDPOINT: this.collectorUrl,
      REENACT_COLLECTOR: this.collectorUrl,
      TRADING_LEDGER: join(this.folder, 'ledger.sqlite'),
      ...(useRealProvider ? {} : { OPENAI_BASE_URL: this.provider.baseUrl, OPENAI_API_KEY: 'local' }),
      ...more,
    };
  }

  record(environment: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
    const options = { cwd: agentFolder, environment: this.environment(environment) };
    return runCommand(['node', '--import', 'reenact/register', 'app.ts'], options);
  }

  reenact(parameters: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
    return runCommand([...reenactCommand, ...parameters], {
      cwd: agentFolder,
      environment: this.environment(environment),
    });
  }

  ledgerRows(): LedgerRow[] {
    const path = join(this.folder, 'ledger.sqlite');
    if (!existsSync(path)) return [];
    const ledger = new DatabaseSync(path, { readOnly: true });
    try {
      return ledger
        .prepare('SELECT symbol, side, quantity, price FROM orders ORDER BY id')
        .all() as unknown as LedgerRow[];
    } finally {
      ledger.close();
    }
  }

  ledgerDigest(): string {
    return createHash('sha256')
      .update(readFileSync(join(this.folder, 'ledger.sqlite')))
      .digest('hex');
  }

  async stopCollector(): Promise<void> {
    if (!this.isCollecting) return;
    this.isCollecting = false;
    await this.collector.stop();
  }

  async stop(): Promise<void> {
    await this.stopCollector();
    await this.provider.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The machine's environment without what would reach into the stage; node is the one that runs this. */
function stageEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(OTEL_|REENACT_|NODE_OPTIONS$|TRACEPARENT$|BAGGAGE$)/.test(name),
  );
  const nodeFolder = join(process.execPath, '..');
  return { ...Object.fromEntries(kept), PATH: `${nodeFolder}${delimiter}${process.env.PATH ?? ''}` };
}

/** Sets the stage: starts the provider and `reenact collect`, both on free ports. */
export async function setTradingStage(): Promise<TradingStage> {
  const folder = mkdtempSync(join(tmpdir(), 'reenact-trading-'));
  const provider = await startLocalProvider();
  const parameters = ['collect', '--http-port', '0', '--grpc-port', '0', '--data', join(folder, 'data'), '--json'];
  const options = { cwd: folder, environment: stageEnvironment() };
  try {
    return new Stage(folder, provider, await startCommand([...reenactCommand, ...parameters], options));
  } catch (error) {
    await provider.stop();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
