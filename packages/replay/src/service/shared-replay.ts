import type { JoinedStream, ReplayServiceAccess, ReplayServiceClient } from '@reenact/collector-client/replay-service';
import { assembleRecording } from '@reenact/dialects';
import { type Answer, type Arrival, type Position, pristine } from '@reenact/instrumentation';
import { type Crossing, crossingLabel, ReenactError, toReenactError } from '@reenact/trace-model';
import { readFixture } from '@reenact/trace-model/reading';
import type { ForbiddenEffect, GuardedPlayer, HeldTelemetry } from '../guard/guarded-player.ts';
import { installGuard } from '../guard/install-guard.ts';
import { POSITION_LIFE_MS } from '../limits.ts';
import { RecordedPlayer } from '../player/recorded-player.ts';
import { signPosition } from '../propagation/position-token.ts';
import { installTime } from '../time/install-time.ts';
import { outsideReplays } from './outside-replays.ts';
import { RelayedSink, type Reporter } from './relayed-sink.ts';
import { readSharedOrder } from './shared-order.ts';

/** What a shared process needs to take part in one replay. */
export interface SharedReplayOptions {
  /** Its library is loaded when the first replay comes in. */
  readonly client: Promise<ReplayServiceClient>;
  readonly access: ReplayServiceAccess;
  readonly positionKey: string;
  readonly reporter: Reporter;
  /** Told once when the replay is over. */
  readonly onOver: () => void;
}

type State =
  | { readonly type: 'joining' }
  | { readonly type: 'joined'; readonly player: RecordedPlayer }
  | { readonly type: 'failed'; readonly error: ReenactError };

/**
 * One replay in a process that also serves ordinary traffic: answers what carries one of its positions, and nothing else. Fetches
 * the recording with the first request; until it is there, and where it cannot be had, everything is refused.
 */
export class SharedReplay implements GuardedPlayer {
  readonly replayId: string;
  readonly dedicated = false;
  readonly keepsNoRecording = true;
  readonly callShapeOf = (recorded: Crossing): Crossing['call'] => recorded.call;
  readonly sink: RelayedSink;
  private readonly options: SharedReplayOptions;
  private readonly joining: Promise<void>;
  private stream: JoinedStream | undefined;
  private state: State = { type: 'joining' };
  private settleJoining: () => void = () => undefined;
  private openCount = 0;
  private whenIdle: (() => void)[] = [];
  private isOver = false;
  private uninstalls: (() => void)[] = [];

  constructor(options: SharedReplayOptions) {
    const { client, access, reporter } = options;
    const { processId } = reporter;
    this.options = options;
    this.replayId = access.replayId;
    this.sink = new RelayedSink(reporter, (lines, flush) =>
      outsideReplays(async () => (await client).reportEvents(access, processId, lines, flush)),
    );
    this.joining = new Promise((resolve) => {
      this.settleJoining = resolve;
    });
    void outsideReplays(() => this.connect());
  }

  private async connect(): Promise<void> {
    const { client, access, reporter } = this.options;
    try {
      const connected = await client;
      this.stream = connected.joinReplay(access, reporter.processId, reporter.service, {
        ready: (order, recording) => this.join(order, recording),
        flush: (number, timeoutMs) => void this.answerFlush(number, timeoutMs),
        over: (error) => this.end(error),
      });
    } catch (thrown) {
      this.end(toReenactError(thrown, 'driver-failed'));
    }
  }

  ready(): Promise<void> | undefined {
    return this.state.type === 'joining' ? this.joining : undefined;
  }

  answer(arrival: Arrival): Answer {
    const { state } = this;
    if (state.type !== 'joined') return { type: 'refuse', error: this.refusal(crossingLabel(arrival.boundary)) };
    // A position that came with a request names this player; those below it name the one that answers.
    const answer = state.player.answer({ ...arrival, cameFromOutside: arrival.position?.player === this });
    if (answer.type !== 'run') return answer;
    this.openCount += 1;
    let isOpen = true;
    return {
      ...answer,
      settled: (...end) => {
        answer.settled(...end);
        if (!isOpen) return;
        isOpen = false;
        this.openCount -= 1;
        this.becomeIdle();
      },
    };
  }

  positionToken({ cursor }: Position): string {
    const expiresUnixMs = pristine.dateNow() + POSITION_LIFE_MS;
    return signPosition(this.options.positionKey, { replayId: this.replayId, cursor, expiresUnixMs });
  }

  joinProof(token: string): string | undefined {
    return this.state.type === 'joined' ? this.state.player.joinProof(token) : undefined;
  }

  isJoinProof(token: string, proof: string): boolean {
    return this.state.type === 'joined' && this.state.player.isJoinProof(token, proof);
  }

  reportForbidden(forbidden: ForbiddenEffect): void {
    if (this.state.type === 'joined') this.state.player.reportForbidden(forbidden);
  }

  noteUnguarded(text: string): void {
    if (this.state.type === 'joined') this.state.player.noteUnguarded(text);
  }

  reportTelemetry(held: HeldTelemetry): void {
    if (this.state.type === 'joined') this.state.player.reportTelemetry(held);
  }

  private refusal(what: string): ReenactError {
    const error = this.state.type === 'failed' ? this.state.error : undefined;
    return new ReenactError('replay-refused', `${what} was refused: this process could not join the replay.`, {
      where: what,
      next: error === undefined ? 'Start the replay again.' : `${error.message} ${error.next ?? ''}`.trim(),
      cause: error,
    });
  }

  private join(orderText: string, recordingBytes: Buffer): void {
    if (this.state.type !== 'joining') return;
    try {
      this.state = { type: 'joined', player: this.openPlayer(orderText, recordingBytes.toString('utf8')) };
    } catch (thrown) {
      const error = toReenactError(thrown, 'driver-failed');
      this.sink.write({ type: 'failed', code: error.code, message: error.message });
      this.state = { type: 'failed', error };
    }
    this.settleJoining();
  }

  private openPlayer(orderText: string, recordingText: string): RecordedPlayer {
    const { rootSpanId, plan, guard } = readSharedOrder(orderText, recordingText);
    const recording = assembleRecording(readFixture(recordingText));
    const { replayId, sink } = this;
    const { positionKey } = this.options;
    const options = { recording, rootSpanId, plan, replayId, sink, positionKey } as const;
    const player = new RecordedPlayer({ ...options, process: 'shared', keepsNoRecording: true });
    sink.write({ type: 'joined', process: 'shared' });
    // Code may stand at the position the request came with, or at one below it: they name different players.
    for (const owner of [this, player]) {
      this.uninstalls.push(installTime({ player: owner, time: player.time, scope: 'context' }));
      this.uninstalls.push(installGuard({ player: owner, scope: 'context', allowed: guard }));
    }
    return player;
  }

  /** What is under way is waited for, as far as the driver's time goes; then everything is reported. */
  private async answerFlush(number: number, timeoutMs: number): Promise<void> {
    await this.idle(timeoutMs / 2);
    await this.sink.answer(number);
  }

  private idle(timeoutMs: number): Promise<void> {
    if (this.openCount === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = pristine.setTimeout(resolve, timeoutMs);
      timer.unref();
      this.whenIdle.push(() => {
        pristine.clearTimeout(timer);
        resolve();
      });
    });
  }

  private becomeIdle(): void {
    if (this.openCount > 0) return;
    for (const tell of this.whenIdle.splice(0)) tell();
    this.uninstallIfOver();
  }

  private end(error: ReenactError | undefined): void {
    if (this.state.type === 'joining') {
      const ended = new ReenactError('driver-failed', 'The replay was over before this process could join it.');
      this.state = { type: 'failed', error: error ?? ended };
      this.settleJoining();
    }
    this.stream?.leave();
    this.isOver = true;
    this.options.onOver();
    this.uninstallIfOver();
  }

  /** Code of a request that is still being answered stays guarded to its end. */
  private uninstallIfOver(): void {
    if (!this.isOver || this.openCount > 0) return;
    for (const uninstall of this.uninstalls.splice(0).reverse()) uninstall();
  }
}
