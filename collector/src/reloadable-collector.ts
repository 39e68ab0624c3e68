import { errorsIn, ReenactError, toReenactError } from '@reenact/trace-model';
import { checkCollectorConfig } from './check-config.ts';
import { type CollectorOptions, type RunningCollector, startCollector } from './collector.ts';
import { type CollectorConfig, type CollectorConfigInput, parseCollectorConfig } from './config.ts';
import { createLog, type Log } from './logging/log.ts';
import { tellWhileLong } from './logging/tell-while-long.ts';

/**
 * What came of a reload: the collector was started again with another configuration; it goes on, with the files of tokens and
 * certificates read again; or nothing changed, because the configuration cannot be used.
 */
export type ReloadOutcome = 'restarted' | 'files-read' | 'refused';

/** Gives the configuration as it is now. Throws ReenactError `bad-config` where it cannot be read. */
export type ReadConfig = () => CollectorConfigInput;

/**
 * A collector whose configuration can be read again while its process goes on. Another configuration is checked while the collector
 * runs, and used by a stop in order and a start: senders try again meanwhile, and nothing acknowledged is lost.
 */
export class ReloadableCollector {
  private readonly read: ReadConfig;
  private readonly options: CollectorOptions;
  private running: RunningCollector;
  private used: CollectorConfig;
  private working: Promise<unknown> = Promise.resolve();
  private readonly stopping = new AbortController();
  private fail: (error: ReenactError) => void = () => undefined;
  /** Rejects with ReenactError where neither the new configuration nor the one before could be started: nothing runs any more. */
  readonly failed: Promise<never>;

  private constructor(read: ReadConfig, options: CollectorOptions, used: CollectorConfig, running: RunningCollector) {
    this.read = read;
    this.options = options;
    this.used = used;
    this.running = running;
    this.failed = new Promise((_resolve, reject) => {
      this.fail = reject;
    });
    // Whoever waits for it is told; nobody has to.
    this.failed.catch(() => undefined);
  }

  /** Starts a collector. Throws what `read` and `startCollector` throw. */
  static async start(read: ReadConfig, options: CollectorOptions = {}): Promise<ReloadableCollector> {
    const config = parseCollectorConfig(read());
    return new ReloadableCollector(read, options, config, await startCollector(config, options));
  }

  /** The configuration in use. */
  get config(): CollectorConfig {
    return this.used;
  }

  /** The collector that runs now; another one after a reload that says `restarted`. */
  get current(): RunningCollector {
    return this.running;
  }

  /** Reads the configuration and its files again, after any reload before has ended. Never rejects. */
  reload(): Promise<ReloadOutcome> {
    const outcome = this.working.then(() => this.reloadOnce());
    this.working = outcome;
    return outcome;
  }

  /**
   * Waits for a reload that has begun, whose opening of the store it breaks off, and stops. First it waits for what still sends to it, where that is
   * named, and says so where it takes long.
   */
  async stop(sender?: { readonly waitsFor: string; readonly ended: Promise<void> }): Promise<void> {
    this.stopping.abort();
    if (sender !== undefined) {
      const stopTelling = tellWhileLong(this.log, () => ({ waitsFor: sender.waitsFor }));
      await sender.ended;
      stopTelling();
    }
    await this.working;
    await this.running.stop();
  }

  private get log(): Log {
    const { log } = this.options;
    return createLog(log === undefined ? 'silent' : this.used.logLevel, log ?? (() => undefined));
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted || this.options.signal?.aborted === true;
  }

  private async startAgain(config: CollectorConfig): Promise<void> {
    const { signal = this.stopping.signal } = this.options;
    const options = { ...this.options, signal: AbortSignal.any([signal, this.stopping.signal]) };
    this.running = await startCollector(config, options);
  }

  private async reloadOnce(): Promise<ReloadOutcome> {
    if (this.isStopping()) return 'refused';
    let next: CollectorConfig;
    try {
      next = parseCollectorConfig(this.read());
      if (JSON.stringify(next) === JSON.stringify(this.used)) {
        this.running.reload();
        return 'files-read';
      }
      const { tokens } = checkCollectorConfig(next);
      if (tokens === 0 && (this.used.tokens.length > 0 || this.used.tokensFile !== undefined)) throw lostTokens();
    } catch (thrown) {
      return this.refuse(thrown);
    }
    return this.restart(next);
  }

  private async restart(next: CollectorConfig): Promise<ReloadOutcome> {
    const before = withPortsOf(this.running, this.used);
    await this.running.stop().catch((thrown: unknown) => this.tellUnclosed(thrown));
    try {
      await this.startAgain(withPortsOf(this.running, next));
      this.used = next;
      this.log.info('reloaded', { what: 'configuration' });
      return 'restarted';
    } catch (thrown) {
      if (this.isStopping()) return 'refused';
      await this.goBack(before);
      return this.refuse(thrown);
    }
  }

  /** All else of it was closed: what is left open is told again where a start needs it. */
  private tellUnclosed(thrown: unknown): void {
    const { message, where = '' } = toReenactError(thrown);
    this.log.error('not everything closed', { what: 'configuration', where, message });
  }

  private async goBack(before: CollectorConfig): Promise<void> {
    try {
      await this.startAgain(before);
    } catch (thrown) {
      if (!this.isStopping()) this.fail(toReenactError(thrown));
    }
  }

  private refuse(thrown: unknown): ReloadOutcome {
    const next = 'The configuration in use stays as it was.';
    for (const { message, where = '' } of errorsIn(toReenactError(thrown)))
      this.log.error('reload refused', { what: 'configuration', where, message, next });
    return 'refused';
  }
}

/** A free port that was picked stays the same: senders know it by now. */
function withPortsOf({ httpUrl, grpcUrl }: RunningCollector, config: CollectorConfig): CollectorConfig {
  const picked = (configured: number, url: string) => (configured === 0 ? Number(new URL(url).port) : configured);
  return { ...config, httpPort: picked(config.httpPort, httpUrl), grpcPort: picked(config.grpcPort, grpcUrl) };
}

/** A configuration without the tokens it had is more often a mistake than the wish to let everybody in. */
function lostTokens(): ReenactError {
  return new ReenactError('bad-config', 'The configuration holds no token any more.', {
    where: 'tokens',
    next: 'Restart the collector if everybody on this machine shall do everything.',
  });
}
