import type { Crossing } from '@reenact/trace-model';
import type { LiveInput } from '../equality/input-comparison.ts';

/** One live call, as the look-up sees it. */
export interface Inquiry {
  /** Recorded span under which to look; undefined stands above the root. */
  readonly cursor: string | undefined;
  readonly kind: Crossing['kind'];
  readonly name: string;
  readonly toolCallId: string | undefined;
  readonly input: LiveInput;
  /** Of several that are equally good, one of these is taken. */
  readonly prefers?: (recorded: Crossing) => boolean;
}
