import { askToJoin, askToJoinOver } from '@reenact/instrumentation';
import { type Crossing, urlPlace } from '@reenact/trace-model';
import type { HttpVersion } from '../process/listening-file.ts';
import { openSession } from '../process/open-session.ts';
import { recordedRequestOf } from '../process/recorded-request.ts';
import { sendRecordedRequest, unansweredNotes, versionNotes, withheldNotes } from '../process/send-recorded-request.ts';
import type { RunningService } from './running-service.ts';

function placeOf(url: URL) {
  const { host, port = 80 } = urlPlace(url);
  return {
    protocol: url.protocol === 'https:' ? 'https' : 'http',
    address: host,
    port,
    verifiesCertificate: true,
  } as const;
}

/**
 * A running HTTP service that is sent the recorded request, by the version of HTTP it came by; by the other one where only that is
 * understood. `url`: its origin; `headers`: in place of the recorded ones of the same names. Throws ReenactError `cold-case` where not
 * all of the request was kept.
 */
export function runningHttpService(
  root: Crossing,
  url: URL,
  headers: Readonly<Record<string, string>>,
): RunningService {
  const request = recordedRequestOf(root);
  const place = placeOf(url);
  const target = new URL(request.target, url);
  const recordedBaggage = request.headers.find(([name]) => name.toLowerCase() === 'baggage')?.[1];
  let understood: HttpVersion = request.httpVersion;
  const session = () => openSession({ ...place, isEncrypted: place.protocol === 'https' });
  return {
    address: url.origin,
    ask: async (token, failed) => {
      const failures: string[] = [];
      for (const version of request.httpVersion === '2' ? (['2', '1.1'] as const) : (['1.1', '2'] as const)) {
        const before = failures.length;
        const fail = (why: string): number => failures.push(why);
        const asked = version === '2' ? askToJoinOver(session, target, token, fail) : askToJoin(target, token, fail);
        const proof = await asked;
        understood = version;
        // Whatever was said, it was understood.
        if (proof !== undefined || failures.length === before) return proof;
      }
      failed(failures[0] ?? 'nothing answered');
      return undefined;
    },
    enter: async (baggageOf, signal) => {
      const there = { ...place, httpVersions: [understood] };
      const sent = { ...headers, baggage: baggageOf(headers.baggage ?? recordedBaggage) };
      const failure = await sendRecordedRequest({ place: there, request, headers: sent, signal });
      const notes = [...withheldNotes(request, headers), ...versionNotes({ request, place: there })];
      return [...notes, ...unansweredNotes(root, failure)];
    },
  };
}
