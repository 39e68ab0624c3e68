import type { GatherPart, ReportRequest } from '@reenact/collector-client/replay-service';
import { ReenactError } from '@reenact/trace-model';
import {
  REPLAY_BYTES_HELD_MAX,
  REPLAY_GATHER_MS_MAX,
  REPLAY_LIFE_MS_MAX,
  REPLAY_MEMBERS_MAX,
  REPLAY_NAME_CHARACTERS_MAX,
  REPLAYS_HELD_MAX,
} from '../limits.ts';
import { SharedRoom } from '../memory/shared-room.ts';
import { HeldReplay, type JoinListener } from './held-replay.ts';

/** What is bounded; every limit has a default in limits.ts. */
export interface ReplayRegistryLimits {
  readonly replaysMax: number;
  /** Recordings and reports of all replays together. */
  readonly bytesMax: number;
  readonly membersMax: number;
  /** How long a replay may be asked to be relayed. */
  readonly lifeMaxMs: number;
  /** How long gathering may be asked to wait. */
  readonly gatherMaxMs: number;
  /** Whether there is more than one tenant: each then has a share of replays and of bytes. */
  readonly isShared: boolean;
}

/** How one asks about a replay. */
export interface ReplayAccess {
  readonly replayId: string;
  readonly proof: string;
}

/** How a driver hands one over. */
export interface ReplayOrder extends ReplayAccess {
  /** Whose share it takes of what the collector holds. */
  readonly tenant: string;
  /** For the services. */
  readonly order: string;
  /** How long it is relayed. */
  readonly lifeMs: number;
}

interface Entry {
  readonly tenant: string;
  readonly replay: HeldReplay;
  readonly expiring: NodeJS.Timeout;
}

/** A replay that is being handed over. */
export interface Registration {
  /** Takes one more piece of the recording. Throws ReenactError `too-large`. */
  take(chunk: Uint8Array): void;
  /** The whole recording is there. Throws ReenactError `replay-exists` or `too-large`. */
  complete(): void;
  /** The driver went away: what was taken is forgotten. */
  abandon(): void;
}

const namePattern = /^[\w.:@ /-]+$/;

function checkName(name: string, value: string): void {
  if (value.length <= REPLAY_NAME_CHARACTERS_MAX && namePattern.test(value)) return;
  throw new ReenactError('bad-request', `${name} is missing, too long, or holds what no name holds.`, { where: name });
}

/** Takes room for a tenant. Throws ReenactError `too-large`. */
function hold(room: SharedRoom, tenant: string, more: number, what: string): void {
  if (room.held + more > room.max) {
    throw new ReenactError(
      'too-large',
      `The replays that go on at this collector have all of its ${room.max} ${what}.`,
    );
  }
  if (room.isBeyondShare(tenant, more)) {
    throw new ReenactError(
      'too-large',
      `The tenant has its share of the ${room.max} ${what} that this collector holds.`,
      {
        where: `tenant ${tenant}`,
      },
    );
  }
  room.change(tenant, more);
}

/** The replays that go on at this collector. Bounded in number, bytes and time; nothing of them is ever written to disk. */
export class ReplayRegistry {
  private readonly limits: Omit<ReplayRegistryLimits, 'replaysMax' | 'bytesMax' | 'isShared'>;
  private readonly replays = new Map<string, Entry>();
  /** Those that are being handed over, too. */
  private readonly places: SharedRoom;
  private readonly bytes: SharedRoom;

  constructor(limits: Partial<ReplayRegistryLimits> = {}) {
    const isShared = limits.isShared ?? false;
    this.places = new SharedRoom(limits.replaysMax ?? REPLAYS_HELD_MAX, isShared);
    this.bytes = new SharedRoom(limits.bytesMax ?? REPLAY_BYTES_HELD_MAX, isShared);
    this.limits = {
      membersMax: limits.membersMax ?? REPLAY_MEMBERS_MAX,
      lifeMaxMs: limits.lifeMaxMs ?? REPLAY_LIFE_MS_MAX,
      gatherMaxMs: limits.gatherMaxMs ?? REPLAY_GATHER_MS_MAX,
    };
  }

  /** How many replays go on. */
  get size(): number {
    return this.replays.size;
  }

  /** How many bytes are held for them. */
  get bytesHeld(): number {
    return this.bytes.held;
  }

  /** Begins to take a replay over. Throws ReenactError `bad-request`, `replay-exists` or `too-large`. */
  register({ replayId, proof, tenant, order, lifeMs }: ReplayOrder): Registration {
    checkName('replay_id', replayId);
    checkName('proof', proof);
    if (lifeMs < 1 || lifeMs > this.limits.lifeMaxMs) {
      throw new ReenactError('bad-request', `life_ms must be from 1 to ${this.limits.lifeMaxMs}.`, {
        where: 'life_ms',
      });
    }
    this.refuseTaken(replayId);
    hold(this.places, tenant, 1, 'replays');
    const chunks: Uint8Array[] = [];
    let taken = 0;
    let isOver = false;
    const take = (chunk: Uint8Array): void => {
      hold(this.bytes, tenant, chunk.byteLength, 'bytes of replays');
      taken += chunk.byteLength;
      chunks.push(chunk);
    };
    const abandon = (): void => {
      if (isOver) return;
      isOver = true;
      this.bytes.change(tenant, -taken);
      this.places.change(tenant, -1);
    };
    const complete = (): void => {
      this.refuseTaken(replayId);
      const replay = new HeldReplay(proof, order, chunks);
      const expiring = setTimeout(() => this.forget(replayId), lifeMs);
      expiring.unref();
      this.replays.set(replayId, { tenant, replay, expiring });
      isOver = true;
    };
    return { take, complete, abandon };
  }

  /** Lets a service take part. Throws ReenactError `not-found`, `replay-denied`, `bad-request` or `too-large`. */
  join(
    access: ReplayAccess & { readonly processId: string; readonly service: string },
    listener: JoinListener,
  ): { readonly replay: HeldReplay; readonly leave: () => void } {
    const { replay } = this.find(access);
    checkName('process_id', access.processId);
    checkName('service', access.service);
    if (replay.memberCount >= this.limits.membersMax && !replay.has(access.processId)) {
      throw new ReenactError('too-large', `${this.limits.membersMax} processes take part in this replay already.`);
    }
    return { replay, leave: replay.join(access.processId, access.service, listener) };
  }

  /** Keeps what a service reports. Throws ReenactError `not-found`, `replay-denied` or `too-large`. */
  report({ processId, lines, flush, ...access }: ReportRequest): void {
    const { tenant, replay } = this.find(access);
    hold(this.bytes, tenant, lines.byteLength, 'bytes of replays');
    replay.report(processId, lines, flush);
  }

  /** Everything reported, once every service has been asked for the rest. Rejects as `report` throws. */
  async gather(access: ReplayAccess, timeoutMs: number): Promise<GatherPart[]> {
    const { replay } = this.find(access);
    const participants = await replay.gather(Math.min(timeoutMs, this.limits.gatherMaxMs));
    return [...participants.map((participant) => ({ participant })), ...replay.lines.map((lines) => ({ lines }))];
  }

  /** Ends a replay; one that is not there has ended. Throws ReenactError `replay-denied`. */
  end(access: ReplayAccess): void {
    if (!this.replays.has(access.replayId)) return;
    this.find(access);
    this.forget(access.replayId);
  }

  /** Ends all of them. */
  stop(): void {
    for (const replayId of [...this.replays.keys()]) this.forget(replayId);
  }

  private refuseTaken(replayId: string): void {
    if (!this.replays.has(replayId)) return;
    throw new ReenactError('replay-exists', `A replay ${replayId} goes on already.`, { where: replayId });
  }

  private find({ replayId, proof }: ReplayAccess): Entry {
    const held = this.replays.get(replayId);
    if (held === undefined) {
      throw new ReenactError('not-found', `No replay ${replayId} goes on here: it has ended, or never began.`);
    }
    if (!held.replay.isProvenBy(proof)) {
      throw new ReenactError(
        'replay-denied',
        `The proof for replay ${replayId} is not the one it was registered with.`,
      );
    }
    return held;
  }

  private forget(replayId: string): void {
    const held = this.replays.get(replayId);
    if (held === undefined) return;
    clearTimeout(held.expiring);
    this.replays.delete(replayId);
    const { tenant, replay } = held;
    this.places.change(tenant, -1);
    this.bytes.change(tenant, -replay.lines.reduce((sum, { byteLength }) => sum + byteLength, replay.recordingBytes));
    replay.end();
  }
}
