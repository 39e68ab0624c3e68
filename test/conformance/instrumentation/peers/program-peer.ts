import { setTimeout as pause } from 'node:timers/promises';
import { HttpPeer } from './http-peer.ts';
import { answerAsModel } from './model-answers.ts';

/**
 * A server for generated programs: `/<milliseconds>/<status>` is answered after so long, `/stream/<milliseconds>/<count>` with so many pieces, one
 * each so many milliseconds, and what a model is asked as a provider would. No answer is given twice.
 */
export function startProgramPeer(): Promise<HttpPeer> {
  return HttpPeer.start(async (response, request) => {
    const { path } = request;
    if (path.startsWith('/v1/')) return answerAsModel(response, request);
    const [, first, second, third] = path.split(/[/?]/);
    if (first === 'stream') {
      response.writeHead(200, { 'content-type': 'text/plain' });
      for (let number = 0; number < Number(third); number += 1) {
        await pause(Number(second));
        response.write(`${number} ${Math.random()}\n`);
      }
      response.end();
      return;
    }
    await pause(Number(first));
    response.writeHead(Number(second)).end(`${path} ${Math.random()}`);
  });
}
