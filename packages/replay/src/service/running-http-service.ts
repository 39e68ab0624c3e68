import { askToJoin } from '@reenact/instrumentation';
import type { Crossing } from '@reenact/trace-model';
import { recordedRequestOf } from '../process/recorded-request.ts';
import { sendRecordedRequest, withheldNotes } from '../process/send-recorded-request.ts';
import type { RunningService } from './running-service.ts';

/**
 * A running HTTP service that is sent the recorded request. `url`: its origin; `headers`: in place of the recorded ones of the same
 * names. Throws ReenactError `cold-case` where not all of the request was kept.
 */
export function runningHttpService(
  root: Crossing,
  url: URL,
  headers: Readonly<Record<string, string>>,
): RunningService {
  const request = recordedRequestOf(root);
  const isEncrypted = url.protocol === 'https:';
  const place = {
    protocol: isEncrypted ? 'https' : 'http',
    address: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (isEncrypted ? 443 : 80) : Number(url.port),
    verifiesCertificate: true,
  } as const;
  const recordedBaggage = request.headers.find(([name]) => name.toLowerCase() === 'baggage')?.[1];
  return {
    address: url.origin,
    ask: (token, failed) => askToJoin(new URL(request.target, url), token, failed),
    enter: async (baggageOf, signal) => {
      const sent = { ...headers, baggage: baggageOf(headers.baggage ?? recordedBaggage) };
      const failure = await sendRecordedRequest({ place, request, headers: sent, signal });
      const notes = withheldNotes(request, headers);
      return failure === undefined ? notes : [...notes, `The recorded request was not answered: ${failure}.`];
    },
  };
}
