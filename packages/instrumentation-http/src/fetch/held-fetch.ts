import { guarded, heldAnswerDue, heldTelemetry, unlessAborted } from '@reenact/instrumentation';
import { isHeldExport, takenAnswer } from '../outbound/held-export.ts';
import { type FetchParameters, type FetchRequest, readFetchParameters } from './fetch-arguments.ts';
import { knownRequest } from './replayed-fetch.ts';

async function taken(request: FetchRequest): Promise<Response> {
  const { contentType, signal } = request;
  // Whoever gives a stream may wait until it has been read.
  const { failure } = await unlessAborted(Promise.resolve(knownRequest(request)), signal);
  if (failure !== undefined) throw failure.error;
  await unlessAborted(heldAnswerDue(), signal);
  const { type, body } = takenAnswer(contentType);
  return new Response(body, { headers: { 'content-type': type } });
}

/** What a `fetch` that exports something and is held back is answered; undefined where it is none. `isNamed`: see {@link isHeldExport}. */
export function heldFetch(parameters: FetchParameters, isNamed = false): Promise<Response> | undefined {
  if (heldTelemetry.holds === undefined) return undefined;
  const request = guarded('reading an export', () => readFetchParameters(parameters), undefined);
  if (request === undefined || !isHeldExport('fetch', request, isNamed)) return undefined;
  return taken(request);
}
