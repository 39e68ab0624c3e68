import { guarded, heldTelemetry } from '@reenact/instrumentation';
import { isHeldExport, takenAnswer } from '../outbound/held-export.ts';
import { type FetchParameters, readFetchParameters } from './fetch-arguments.ts';

/** What a `fetch` that exports something and is held back is answered; undefined where it is none. `isNamed`: see {@link isHeldExport}. */
export function heldFetch(parameters: FetchParameters, isNamed = false): Promise<Response> | undefined {
  if (heldTelemetry.holds === undefined) return undefined;
  const request = guarded('reading an export', () => readFetchParameters(parameters), undefined);
  if (request === undefined || !isHeldExport('fetch', request, isNamed)) return undefined;
  const { type, body } = takenAnswer(request.contentType);
  return Promise.resolve(new Response(body, { headers: { 'content-type': type } }));
}
