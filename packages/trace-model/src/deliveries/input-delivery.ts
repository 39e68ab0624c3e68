import { isDelivery } from '../crossings/canonical-input.ts';
import type { Crossing } from '../crossings/crossing.ts';
import { decodeValue } from '../values/value-codec.ts';

/** The name of a delivery of standard input, and of the message that it is (docs/adr/0054). */
export const INPUT_DELIVERY_NAME = 'stdin';

/** What a process was given of its standard input at once. */
export interface InputPiece {
  /** Which one it is of all that the process was given, from 0. Several runs may hold the same. */
  readonly place: number;
  /** Bytes where it is no UTF-8. Absent: its end. */
  readonly data?: string | Uint8Array | undefined;
  /** What was typed where the program asked for a secret, redacted by this name; `data` is the key behind it. */
  readonly password?: string | undefined;
  /** The keys that were hit one by one, as how many UTF-16 code units each has of the text; absent where all of it came together. */
  readonly keys?: readonly number[] | undefined;
  /** Whether a terminal gave it. */
  readonly isTerminal?: true | undefined;
  /** Whether what the program said went to a terminal, too. */
  readonly isShown?: true | undefined;
  /** Whether the program read it like a file; else the stream brought it. */
  readonly isFile?: true | undefined;
  /** Whether it came before the run that holds it had begun. */
  readonly isBefore?: true | undefined;
  /** When it came, milliseconds since the epoch, and since the process had started; of one that came before. */
  readonly timeMs?: number | undefined;
  readonly uptimeMs?: number | undefined;
}

/** Whether a crossing is input that the process of its run was given (docs/adr/0054). */
export function isInputDelivery(crossing: Pick<Crossing, 'kind' | 'name' | 'canonicalPolicy'>): boolean {
  return crossing.kind === 'message' && crossing.name === INPUT_DELIVERY_NAME && isDelivery(crossing);
}

function isPiece(value: unknown): value is InputPiece {
  if (typeof value !== 'object' || value === null) return false;
  const { place, data, keys, password, timeMs = 0, uptimeMs = 0 } = value as Partial<Record<keyof InputPiece, unknown>>;
  if (![place, timeMs, uptimeMs].every((value) => typeof value === 'number')) return false;
  if (keys !== undefined && !(Array.isArray(keys) && keys.every((key) => typeof key === 'number'))) return false;
  if (password !== undefined && typeof password !== 'string') return false;
  return data === undefined || typeof data === 'string' || data instanceof Uint8Array;
}

/** What a delivery of standard input brought; empty where that was not kept. */
export function inputPiecesOf({ input }: Pick<Crossing, 'input'>): readonly InputPiece[] {
  if (input?.data === undefined) return [];
  const decoded: unknown = decodeValue(input);
  return Array.isArray(decoded) && decoded.every(isPiece) ? decoded : [];
}

/** Whether all that a delivery brought had come before its run began: it stands in the run to be found, and nothing of the run follows from its place. */
export function isInputBefore(crossing: Pick<Crossing, 'kind' | 'name' | 'canonicalPolicy' | 'input'>): boolean {
  return isInputDelivery(crossing) && inputPiecesOf(crossing).every(({ isBefore }) => isBefore === true);
}
