import { type Crossing, crossingLabel } from '@reenact/trace-model';
import { POLL_PAUSE_MS_MIN } from '../limits.ts';

/** The beginning of a request's input, up to the query of its URL. */
const PLACE_OF_REQUEST = /^\{"method":"[A-Z]+","url":"[^"?#]*/;

function isAskedAgain(setUp: readonly Crossing[]): boolean {
  const inputs = setUp.map((crossing) => `${crossingLabel(crossing)} ${crossing.input?.digest ?? ''}`);
  return new Set(inputs).size < inputs.length;
}

/** Whether a request went to one address again a while after the one before was answered: it may ask for what is new since then. */
function isAskedFurther(setUp: readonly Crossing[]): boolean {
  const pauseNano = BigInt(POLL_PAUSE_MS_MIN) * 1_000_000n;
  const endsNano = new Map<string, bigint>();
  for (const { kind, input, startTimeUnixNano, endTimeUnixNano } of setUp) {
    const place = kind === 'http' ? PLACE_OF_REQUEST.exec(input?.data ?? '')?.[0] : undefined;
    if (place === undefined) continue;
    const endNano = endsNano.get(place);
    if (endNano !== undefined && startTimeUnixNano - endNano >= pauseNano) return true;
    if (endNano === undefined || endTimeUnixNano > endNano) endsNano.set(place, endTimeUnixNano);
  }
  return false;
}

/**
 * Whether a process called the same more than once before a run, or asked one address further: a timer did, as far as one can tell, and time leaps from
 * each of its calls to the next (docs/adr/0052). `setUp`: in start order.
 */
export function isPolling(setUp: readonly Crossing[]): boolean {
  return isAskedAgain(setUp) || isAskedFurther(setUp);
}
