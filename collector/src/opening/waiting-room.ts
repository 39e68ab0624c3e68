import { setTimeout as sleep } from 'node:timers/promises';
import { ReenactError, toReenactError } from '@reenact/trace-model';
import type { Log } from '../logging/log.ts';
import type { OpeningStep } from '../store/opening-step.ts';
import type { Entrance } from './entrance.ts';

/** What the room is opened with. */
export interface WaitingRoomOptions {
  readonly log: Log;
  /** How long an opening may take from its first step on before anybody is told, milliseconds: most take far less. */
  readonly quietMs?: number;
  /** How often the log says how far it is, milliseconds. */
  readonly tellEveryMs?: number;
}

const QUIET_MS = 5_000;
const TELL_EVERY_MS = 10_000;

/**
 * Lets the entrance listen while a store opens for long, as behind an upgrade: the process is live and not ready, senders are told to send again, and
 * the log says how far it is. A supervisor would otherwise take it for one that hangs.
 */
export class WaitingRoom {
  private readonly options: WaitingRoomOptions;
  private step: OpeningStep = { what: 'opening the store', done: 0, total: 0 };
  private readonly begun = Promise.withResolvers<void>();
  private ports: { httpPort?: number; grpcPort?: number } = {};

  constructor(options: WaitingRoomOptions) {
    this.options = options;
  }

  /** Notes how far the opening is. */
  tell(step: OpeningStep): void {
    this.step = step;
    this.begun.resolve();
  }

  /** Why nothing is served yet. */
  readonly notYet = (): ReenactError => {
    const { what, done, total } = this.step;
    const share = total === 0 ? '' : ` (${Math.floor((100 * Math.min(done, total)) / total)} %)`;
    const next = 'Try again; exporters do so by themselves.';
    return new ReenactError('store-busy', `The store is being opened: ${what}${share}.`, { next, retryable: true });
  };

  /** Gives what was opened, or throws why it was not. Where it took long, `entrance` listens from then on. */
  async during<Opened>(opening: Promise<Opened>, entrance: Entrance): Promise<Opened> {
    const { log, quietMs = QUIET_MS, tellEveryMs = TELL_EVERY_MS } = this.options;
    const settled = new AbortController();
    const end = opening.then(
      () => settled.abort(),
      () => settled.abort(),
    );
    // The start of a thread is not work of the store, and takes long where the machine is busy.
    const quiet = () => sleep(quietMs, undefined, { signal: settled.signal }).catch(() => undefined);
    await Promise.race([end, this.begun.promise.then(quiet)]);
    if (settled.signal.aborted) return opening;
    const startedAt = performance.now();
    this.tellLog();
    const timer = setInterval(() => this.tellLog(), tellEveryMs);
    try {
      await this.listen(entrance);
      const opened = await opening;
      log.info('store opened', { seconds: Math.round((performance.now() - startedAt + quietMs) / 1000) });
      return opened;
    } finally {
      clearInterval(timer);
    }
  }

  /** A port that cannot be had is a failure of the start itself, which tries it again once the store is open. */
  private async listen(entrance: Entrance): Promise<void> {
    const over = async (open: () => Promise<number>): Promise<number | undefined> => {
      try {
        return await open();
      } catch (thrown) {
        const { message, next = '' } = toReenactError(thrown);
        this.options.log.error('not listening while the store opens', { message, next });
        return undefined;
      }
    };
    const httpPort = await over(() => entrance.openHttp());
    const grpcPort = await over(() => entrance.openGrpc());
    this.ports = { ...(httpPort === undefined ? {} : { httpPort }), ...(grpcPort === undefined ? {} : { grpcPort }) };
    this.options.log.info('listening while the store opens', this.ports);
  }

  private tellLog(): void {
    const next =
      'Nothing is received until it is done; senders are told to send again. Killed, it goes on at the next start.';
    this.options.log.warn('store still opens', { ...this.step, ...this.ports, next });
  }
}
