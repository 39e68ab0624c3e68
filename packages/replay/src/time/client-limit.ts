import type { Crossing } from '@reenact/trace-model';
import { CLIENT_LIMIT_LATE_US_MAX } from '../limits.ts';

/**
 * When a timer is due that the client of a served call sets, where its delay alone has it be due a little before an answer that the client was given: just after that,
 * for the limit of its attempt was late, or the client would have no answer. Microseconds since the call started; undefined where its delay says it.
 */
export function clientLimitUs({ startTimeUnixNano, exchanges }: Crossing, dueUs: number): number | undefined {
  for (const { startedAtUnixNano, response } of exchanges) {
    if (response === undefined) continue;
    const beganUs = Number(BigInt(startedAtUnixNano) - startTimeUnixNano) / 1_000;
    const answeredUs = beganUs + response.headersAfterUs;
    if (dueUs >= beganUs && dueUs <= answeredUs && answeredUs - dueUs <= CLIENT_LIMIT_LATE_US_MAX)
      return answeredUs + 1;
  }
  return undefined;
}
