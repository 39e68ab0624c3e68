import { isReenactError } from '@reenact/trace-model';
import { wireMode } from '../../admission/current-gate.ts';
import { reportFailure } from '../../host/report-failure.ts';

/**
 * What `wrap` makes of a client, or the client itself where ours failed: then it works as ever and is not recorded. What the
 * caller got wrong is thrown; and in a replay everything is, for an unwrapped client would be a live one.
 */
export function wrapClient<Client extends object>(client: Client, wrap: () => Client): Client {
  if (wireMode() === 'replay') return wrap();
  try {
    return wrap();
  } catch (error) {
    if (isReenactError(error)) throw error;
    reportFailure('wrapping a client', error);
    return client;
  }
}
