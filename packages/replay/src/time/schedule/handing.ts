import type { Crossing } from '@reenact/trace-model';

/** How a part of an outcome is handed to the agent. */
export interface Handing {
  readonly recorded: Crossing;
  readonly tell: () => void;
  readonly isFromSocket: boolean;
  readonly isWithPrevious: boolean;
}
