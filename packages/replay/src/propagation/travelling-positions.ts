import { pristine } from '@reenact/instrumentation';
import type { EventSink } from '../events/event-sink.ts';
import { tellIgnoredPosition } from './ignored-position.ts';
import { isJoinProof, joinProof, signPosition, verifyPosition } from './position-token.ts';

/** What positions of one replay travel with. */
export interface TravellingPositionsOptions {
  readonly replayId: string;
  /** Signs them; absent where none leaves this process. */
  readonly key: string | undefined;
  readonly sink: EventSink;
}

/** Signs the positions of one replay that leave this process, and reads those that come in. */
export class TravellingPositions {
  private readonly options: TravellingPositionsOptions;

  constructor(options: TravellingPositionsOptions) {
    this.options = options;
  }

  /** A signed token that counts for so many milliseconds; undefined where positions do not leave this process. */
  tokenFor(cursor: string | undefined, lifeMs: number): string | undefined {
    const { key, replayId } = this.options;
    return key === undefined
      ? undefined
      : signPosition(key, { replayId, cursor, expiresUnixMs: pristine.dateNow() + lifeMs });
  }

  /** The cursor of a token; one that is forged, expired, damaged or of another replay is told and ignored. */
  read(token: string): { readonly cursor: string | undefined } | undefined {
    const { key, replayId, sink } = this.options;
    if (key === undefined) return undefined;
    const verified = verifyPosition(key, token, pristine.dateNow());
    if (verified.type === 'valid' && verified.position.replayId === replayId)
      return { cursor: verified.position.cursor };
    tellIgnoredPosition(verified.type === 'valid' ? 'foreign' : verified.type, sink);
    return undefined;
  }

  /** What this process says when it is asked whether it would honour a token. */
  proofOf(token: string): string | undefined {
    const { key } = this.options;
    return key === undefined ? undefined : joinProof(key, token);
  }

  /** Whether another process has proven that it takes part in this replay. */
  isProven(token: string, proof: string): boolean {
    const { key } = this.options;
    return key !== undefined && isJoinProof(key, token, proof);
  }
}
