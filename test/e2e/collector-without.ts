import { createServer, type Server } from 'node:http';
import type { Stage } from '../scenarios/stage.ts';

/** The collector of a stage as it is when it has thinned out one trace; close it when it has been asked. */
export async function collectorWithout(stage: Stage, traceId: string): Promise<Server> {
  const lacking = createServer(async (request, response) => {
    const answer = await fetch(`${stage.collectorUrl}${request.url ?? ''}`);
    const isGone = request.url?.includes(traceId) === true;
    response.writeHead(isGone ? 404 : answer.status, { 'content-type': 'application/json' });
    response.end(isGone ? '{}' : await answer.text());
  });
  await new Promise<void>((resolve) => lacking.listen(0, '127.0.0.1', resolve));
  return lacking;
}
