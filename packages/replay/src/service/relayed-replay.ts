import type { GatheredReports, ReplayServiceClient } from '@reenact/collector-client/replay-service';
import type { Recording } from '@reenact/trace-model';
import { writeFixture } from '@reenact/trace-model/reading';
import { ownProcessId } from '../events/event-sink.ts';
import { readEventLines } from '../events/read-event-lines.ts';
import type { StampedEvent } from '../events/replay-event.ts';
import { GATHER_MS_MAX, SHARED_REPLAY_LIFE_MS } from '../limits.ts';
import { openReplayServiceClient } from './open-client.ts';
import { positionKeyOf, serviceProofOf } from './replay-key.ts';
import { type SharedOrder, writeSharedOrder } from './shared-order.ts';
import type { ReplayServiceSettings } from './shared-settings.ts';

/** What running services are told of a replay. */
export interface RelayedReplayOptions extends SharedOrder {
  readonly recording: Recording;
  readonly replayId: string;
  readonly settings: ReplayServiceSettings;
}

/** What running services reported. */
export interface RelayedReports {
  readonly events: readonly StampedEvent[];
  readonly notes: readonly string[];
}

function noteOf({ service, processId }: { readonly service: string; readonly processId: string }): string {
  return `${service} (process ${processId}) took part beside its ordinary traffic: what it did outside the context of this replay was ordinary traffic, too.`;
}

/** The driver's side of a replay that running services take part in. */
export class RelayedReplay {
  /** Signs the positions of this replay. */
  readonly positionKey: string;
  private readonly client: ReplayServiceClient;
  private readonly access: { readonly replayId: string; readonly proof: string };

  private constructor(client: ReplayServiceClient, { replayId, settings }: RelayedReplayOptions) {
    this.client = client;
    this.positionKey = positionKeyOf(settings.key, replayId);
    this.access = { replayId, proof: serviceProofOf(settings.key, replayId) };
  }

  /** Hands a replay to the replay service. Rejects with the ReenactErrors of `ReplayServiceClient`. */
  static async register(options: RelayedReplayOptions): Promise<RelayedReplay> {
    const client = await openReplayServiceClient(options.settings);
    const replay = new RelayedReplay(client, options);
    const { rootSpanId, plan, guard } = options;
    const text = writeFixture(options.recording.data);
    try {
      const order = writeSharedOrder({ rootSpanId, plan, guard }, text);
      await client.registerReplay(replay.access, order, Buffer.from(text, 'utf8'), SHARED_REPLAY_LIFE_MS);
      return replay;
    } catch (thrown) {
      client.close();
      throw thrown;
    }
  }

  /** Everything that services reported, once all of them have reported the rest. Rejects as `register` does. */
  async gather(): Promise<RelayedReports> {
    const { participants, lines } = await this.client.gatherReports(this.access, GATHER_MS_MAX);
    const notes = participants.map(noteOf);
    const events = readEventLines(lines.toString('utf8'), 'The report of the services', notes);
    return { events: [...events, ...this.missing(participants)], notes };
  }

  /** Ends the replay; services forget it. Never rejects: the replay service forgets it by itself in time. */
  async end(): Promise<void> {
    await this.client.endReplay(this.access).catch(() => undefined);
    this.client.close();
  }

  private missing(participants: GatheredReports['participants']): StampedEvent[] {
    return participants
      .filter(({ hasAnswered }) => !hasAnswered)
      .map(({ service, processId }) => {
        const text = `${service} (process ${processId}) ended, or was not done in time, before it had reported everything.`;
        return { processId: ownProcessId(), service, atUs: 0, event: { type: 'note', text, unverified: true } };
      });
  }
}
