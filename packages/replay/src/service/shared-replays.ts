import { hostname } from 'node:os';
import type { ReplayServiceClient } from '@reenact/collector-client/replay-service';
import { type Answer, type Player, type Position, pristine } from '@reenact/instrumentation';
import { type Crossing, ReenactError } from '@reenact/trace-model';
import { ownProcessId } from '../events/event-sink.ts';
import { SHARED_REPLAYS_MAX } from '../limits.ts';
import { tellIgnoredPosition } from '../propagation/ignored-position.ts';
import { claimedReplayId, verifyPosition } from '../propagation/position-token.ts';
import { openReplayServiceClient } from './open-client.ts';
import { positionKeyOf, serviceProofOf } from './replay-key.ts';
import { SharedReplay } from './shared-replay.ts';
import type { ReplayServiceSettings } from './shared-settings.ts';

/** Answers for a replay that this process has no room for: a valid position must never run for real. */
class RefusingPlayer implements Player {
  readonly replayId: string;
  readonly dedicated = false;
  readonly keepsNoRecording = true;
  readonly callShapeOf = (recorded: Crossing): Crossing['call'] => recorded.call;

  constructor(replayId: string) {
    this.replayId = replayId;
  }

  answer(): Answer {
    const error = new ReenactError(
      'replay-refused',
      `This process takes part in ${SHARED_REPLAYS_MAX} replays already.`,
      { next: 'Start the replay again when others have ended.' },
    );
    return { type: 'refuse', error };
  }
}

/** The replays that one shared process takes part in, each apart from all others and from ordinary traffic. */
export class SharedReplays {
  private readonly settings: ReplayServiceSettings;
  private readonly service: string;
  private readonly replays = new Map<string, SharedReplay>();
  private client: Promise<ReplayServiceClient> | undefined;

  /** `service`: its name, for the report. */
  constructor(settings: ReplayServiceSettings, service: string) {
    this.settings = settings;
    this.service = service.replace(/[^\w.:@ /-]/g, '_').slice(0, 128) || 'unknown service';
  }

  /** How many replays go on in this process. */
  get size(): number {
    return this.replays.size;
  }

  /**
   * The position a token stands for; undefined for one that is forged, expired or damaged, which is told and ignored. The first
   * valid one of a replay joins it. Nothing is sent for a token that is not valid.
   */
  positionOfToken(token: string): Position | undefined {
    const { key } = this.settings;
    const replayId = claimedReplayId(token);
    const positionKey = replayId === undefined ? '' : positionKeyOf(key, replayId);
    const verified = verifyPosition(positionKey, token, pristine.dateNow());
    if (verified.type !== 'valid' || replayId === undefined) {
      const going = replayId === undefined ? undefined : this.replays.get(replayId);
      tellIgnoredPosition(verified.type === 'valid' ? 'malformed' : verified.type, going?.sink);
      return undefined;
    }
    const player = this.replays.get(replayId) ?? this.join(replayId, positionKey);
    return { player, cursor: verified.position.cursor };
  }

  private join(replayId: string, positionKey: string): Player {
    if (this.replays.size >= SHARED_REPLAYS_MAX) return new RefusingPlayer(replayId);
    this.client ??= openReplayServiceClient(this.settings);
    const replay = new SharedReplay({
      client: this.client,
      access: { replayId, proof: serviceProofOf(this.settings.key, replayId) },
      positionKey,
      reporter: { processId: `${hostname()}:${ownProcessId()}`, service: this.service },
      onOver: () => {
        if (this.replays.get(replayId) === replay) this.replays.delete(replayId);
      },
    });
    this.replays.set(replayId, replay);
    return replay;
  }
}
