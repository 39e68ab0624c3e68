import type { Dispatcher } from 'undici';
import { readStream } from '../fetch/fetch-body.ts';
import { bytesOfBody } from '../message-body.ts';
import { isHeldExport } from '../outbound/held-export.ts';
import type { DispatchRequest } from './dispatch-request.ts';
import { isOlderHandler, newerHandlerOf } from './older-handler.ts';
import { serveTaken } from './served-dispatch.ts';
import type { UndiciParts } from './undici-types.ts';

async function take(
  { body, contentType }: DispatchRequest,
  handler: Dispatcher.DispatchHandler,
  parts: UndiciParts,
): Promise<void> {
  // Whoever gives a stream may wait until it has been read.
  const read = body.type === 'streamed' ? await readStream(body.stream, undefined) : undefined;
  const known = body.type === 'known' && body.body !== undefined ? bytesOfBody(body.body) : undefined;
  await serveTaken(handler, parts, { sentBytes: read?.bytes ?? known, contentType, failure: read?.failure });
}

/** Whether a dispatcher's request to a host that is named as one of telemetry is held back: it is answered as one that was taken. */
export function heldDispatch(
  request: DispatchRequest,
  handler: Dispatcher.DispatchHandler,
  parts: UndiciParts,
): boolean {
  if (request.isUpgrade || !isHeldExport('undici.dispatch', request, true)) return false;
  void take(request, isOlderHandler(handler) ? newerHandlerOf(handler) : handler, parts);
  return true;
}
