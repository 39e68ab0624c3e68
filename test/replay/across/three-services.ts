import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import type { ReplayReport } from '@reenact/trace-model';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import type { CommandResult, RunningCommand } from '../../scenarios/run-command.ts';
import { runsOf, runsOnceThere } from '../../scenarios/runs-of.ts';
import { type Stage, setStage } from '../../scenarios/stage.ts';

const agentFolder = new URL('agent', import.meta.url).pathname;

/** A service of the scenario that runs. */
export interface RunningService {
  readonly url: string;
  stop(): Promise<CommandResult>;
}

type ServiceName = 'gateway' | 'advisor' | 'risk' | 'desk';

/** Environment of single services, beside what all of them have. */
export type ServiceEnvironments = { readonly [name in ServiceName]?: NodeJS.ProcessEnv };

/** A service: its program, and what it must know of those that run already. */
interface Wiring {
  readonly name: ServiceName;
  readonly script: string;
  readonly environment: (urlOf: (name: ServiceName) => string) => NodeJS.ProcessEnv;
}

function hostOf(url: string): string {
  return new URL(url).host;
}

const desk: Wiring = { name: 'desk', script: 'desk.ts', environment: () => ({}) };

/** gateway → advisor → desk, which is an MCP server. */
const overHttp: readonly Wiring[] = [
  desk,
  { name: 'advisor', script: 'advisor.ts', environment: (urlOf) => ({ DESK_URL: urlOf('desk') }) },
  { name: 'gateway', script: 'gateway.ts', environment: (urlOf) => ({ AGENT_URL: urlOf('advisor') }) },
];

/** The same with an agent service that is asked over HTTP/2. */
export const OVER_HTTP2: readonly Wiring[] = [
  desk,
  { name: 'advisor', script: 'stream-advisor.ts', environment: (urlOf) => ({ DESK_URL: urlOf('desk') }) },
  { name: 'gateway', script: 'stream-gateway.ts', environment: (urlOf) => ({ AGENT_URL: urlOf('advisor') }) },
];

/** The same with a gRPC service in the middle, which asks another one about risks. */
export const OVER_GRPC: readonly Wiring[] = [
  desk,
  { name: 'risk', script: 'risk.ts', environment: () => ({}) },
  {
    name: 'advisor',
    script: 'rpc-advisor.ts',
    environment: (urlOf) => ({ DESK_URL: urlOf('desk'), RISK_ADDRESS: hostOf(urlOf('risk')) }),
  },
  {
    name: 'gateway',
    script: 'rpc-gateway.ts',
    environment: (urlOf) => ({ AGENT_ADDRESS: hostOf(urlOf('advisor')) }),
  },
];

/** The services, each a process of its own, and the provider the agent asks. */
export class ThreeServices {
  readonly stage: Stage;
  private readonly provider: LLMock;
  private readonly wirings: readonly Wiring[];
  private readonly running = new Map<ServiceName, RunningService>();
  private readonly ports = new Map<ServiceName, string>();

  private constructor(stage: Stage, provider: LLMock, wirings: readonly Wiring[]) {
    this.stage = stage;
    this.provider = provider;
    this.wirings = wirings;
  }

  /** Sets the stage: a collector, a scripted provider, a replay key. No service runs yet. */
  static async set(wirings: readonly Wiring[] = overHttp): Promise<ThreeServices> {
    const provider = new LLMock({ port: 0, journalMaxEntries: 0 });
    const order = { id: 'call_order', name: 'place_order', arguments: '{"shares":1000}' };
    provider.on({ endpoint: 'chat', turnIndex: 0 }, { toolCalls: [order] });
    provider.on({ endpoint: 'chat', turnIndex: 1 }, { content: 'I sold 1,000 shares, as you asked.' });
    await provider.start();
    const stage = await setStage({
      agentFolder,
      environment: (folder) => ({
        OPENAI_BASE_URL: `${provider.url}/v1`,
        OPENAI_API_KEY: 'local',
        DESK_BOOK: join(folder, 'book.txt'),
        REENACT_REPLAY_KEY_FILE: join(folder, 'replay.key'),
      }),
    });
    writeFileSync(join(stage.folder, 'replay.key'), randomBytes(32).toString('base64'));
    return new ThreeServices(stage, provider, wirings);
  }

  get providerRequests(): number {
    return this.provider.getRequests().length;
  }

  /** What the tool did to the world. */
  get book(): string {
    const path = join(this.stage.folder, 'book.txt');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  get key(): string {
    return readFileSync(join(this.stage.folder, 'replay.key'), 'utf8');
  }

  get gatewayUrl(): string {
    return this.urlOf('gateway');
  }

  /** Where a service listens, with the scheme of HTTP. */
  urlOf(name: ServiceName): string {
    return this.running.get(name)?.url ?? '';
  }

  /** What commands find in their environment to talk to the replay service. */
  get replaying(): NodeJS.ProcessEnv {
    return { REENACT_REPLAY_SERVICE: this.stage.grpcUrl };
  }

  /** Starts the services, stopping those that run. `isShared`: replays may come in. */
  async start(isShared: boolean, environments: ServiceEnvironments = {}): Promise<void> {
    await this.stopServices();
    const allow = isShared ? { REENACT_REPLAY_ALLOW: 'shared', ...this.replaying } : {};
    for (const { name, script, environment } of this.wirings) {
      // A service that is started again is found where it was.
      const port = this.ports.get(name) ?? '0';
      const wired = environment((other) => this.urlOf(other));
      const own = { OTEL_SERVICE_NAME: name, PORT: port, ...allow, ...wired, ...environments[name] };
      const service: RunningCommand = await this.stage.start(['--import', 'reenact/register', script], own);
      const listening = JSON.parse(service.firstLine) as { port: number };
      this.ports.set(name, String(listening.port));
      this.running.set(name, { url: `http://127.0.0.1:${listening.port}`, stop: () => service.stop() });
    }
  }

  /** Stops the services, so that their last spans are delivered. Gives what each said on standard error. */
  async stopServices(): Promise<string> {
    const running = [...this.running.values()];
    this.running.clear();
    const results = await Promise.all(running.map((service) => service.stop()));
    return results.map(({ stderr }) => stderr).join('');
  }

  /** A customer's request. */
  async ask(headers: Record<string, string> = {}): Promise<unknown> {
    const response = await fetch(`${this.gatewayUrl}/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"wish":" Sell $1,000 worth of ACME. "}',
    });
    return response.json();
  }

  /** The run of the customer's request, once all of it has arrived at the collector. */
  askedRun(crossingCount = 8): Promise<RunSummary> {
    return runsOnceThere(this.stage, (runs) =>
      runs.find((one) => one.name === 'agent:POST /ask' && one.crossingCount >= crossingCount),
    );
  }

  runs(): Promise<RunSummary[]> {
    return runsOf(this.stage);
  }

  /** Replays with `--json`. */
  async replay(parameters: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<ReplayReport> {
    const own = { ...this.replaying, ...environment };
    const { stdout, stderr } = await this.stage.reenact(['replay', '--json', ...parameters], own);
    try {
      return JSON.parse(stdout) as ReplayReport;
    } catch {
      throw new Error(`reenact replay printed no report: ${stdout}${stderr}`);
    }
  }

  async stop(): Promise<void> {
    await this.stopServices();
    await this.stage.stop();
    await this.provider.stop();
  }
}
