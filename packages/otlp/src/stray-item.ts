import type { ExportSignal } from './export-response.ts';
import type { OtlpProblem } from './problem.ts';
import { createWireWalker, nextField, WIRE_FIXED64 } from './wire-walker.ts';

/** Fields that hold eight fixed bytes in items of one signal alone: times of log records, and the start of a span. */
const SIGNAL_TIMES: ReadonlyMap<number, ExportSignal> = new Map([
  [1, 'logs'],
  [7, 'traces'],
  [11, 'logs'],
]);

/**
 * Whether the item at bytes[start, end) is of another signal than its request was sent as. All three frame their items alike, so
 * that read as what it is not, it is wrong in ways that lead nobody to the path it belongs to.
 */
export function findStrayItem(
  signal: ExportSignal,
  bytes: Uint8Array,
  start: number,
  end: number,
): OtlpProblem | undefined {
  const item = createWireWalker(bytes, start, end);
  while (nextField(item)) {
    const other = item.wireType === WIRE_FIXED64 ? SIGNAL_TIMES.get(item.fieldNumber) : undefined;
    if (other === undefined || other === signal) continue;
    return { code: 'bad-shape', message: `it is of ${other}, which have a path of their own`, offset: item.fieldStart };
  }
  return undefined;
}
