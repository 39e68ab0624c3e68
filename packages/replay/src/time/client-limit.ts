import type { Crossing } from '@reenact/trace-model';
import { CLIENT_LIMIT_LATE_US_MAX } from '../limits.ts';

/** Whether something is due a little before what came, by its delay alone. */
function isLate(dueUs: number, cameUs: number): boolean {
  return dueUs <= cameUs && cameUs - dueUs <= CLIENT_LIMIT_LATE_US_MAX;
}

/**
 * When a timer is due that the client of a served call sets, where its delay alone has it be due a little before the client had its answer, or all of
 * it: just after that, for the limit of its attempt was late, or the client would not have it. Microseconds since the call started; undefined where its delay says it.
 */
export function clientLimitUs({ startTimeUnixNano, exchanges }: Crossing, dueUs: number): number | undefined {
  for (const { startedAtUnixNano, response } of exchanges) {
    const beganUs = Number(BigInt(startedAtUnixNano) - startTimeUnixNano) / 1_000;
    if (response === undefined || dueUs < beganUs) continue;
    const answeredUs = beganUs + response.headersAfterUs;
    const wholeUs = response.end === 'complete' ? beganUs + response.endAfterUs : answeredUs;
    if (isLate(dueUs, wholeUs)) return wholeUs + 1;
    if (isLate(dueUs, answeredUs)) return answeredUs + 1;
  }
  return undefined;
}
