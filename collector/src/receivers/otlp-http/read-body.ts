import type { IncomingMessage, ServerResponse } from 'node:http';
import { askForBody, isWaiting } from '../../connections/ask-for-body.ts';
import { cutOffRequest } from '../../connections/cut-off-request.ts';
import { type RequestTimes, watchStall } from '../../connections/stall-watch.ts';
import { freeChunk } from '../../memory/free-memory.ts';
import type { ReusedMemory } from '../../memory/reused-memory.ts';
import type { Room } from '../admission.ts';
import { tooLarge } from '../too-large.ts';

/** What bodies are measured against. */
export interface BodyLimits {
  readonly requestBytesMax: number;
  readonly requestTimes: RequestTimes;
}

/**
 * Reads the body of the request that a response is for up to the limit into memory from `memory`, taking room as it arrives. Throws ReenactError `too-large` as soon as that is
 * clear, `store-busy` when there is no room or nothing more comes, `bad-request` when the sender hangs up.
 */
export function readBody(
  response: ServerResponse<IncomingMessage>,
  { requestBytesMax: bytesMax, requestTimes }: BodyLimits,
  room: Room,
  memory: ReusedMemory,
): Promise<Buffer<ArrayBuffer>> {
  const { req: request } = response;
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax) return Promise.reject(tooLarge(bytesMax, `of ${declared} bytes`));
  return new Promise((resolve, reject) => {
    // Room is taken as bytes arrive, and some of it may be free by then. But whoever waits is better told before it has sent them.
    if (isWaiting(request)) room.needRoomFor(declared);
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stop = (thrown: unknown): void => {
      stall.stop();
      request.removeAllListeners('data');
      for (const chunk of chunks.splice(0)) freeChunk(chunk);
      reject(thrown);
    };
    const stall = watchStall(requestTimes, stop);
    const hangUp = () => reject(cutOffRequest());
    askForBody(request, response);
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      stall.moved();
      try {
        if (bytes > bytesMax) throw tooLarge(bytesMax, 'body');
        room.atLeast(bytes);
        chunks.push(chunk);
      } catch (thrown) {
        stop(thrown);
      }
    });
    request.on('end', () => resolve(join(chunks, memory.take(bytes))));
    for (const event of ['end', 'close']) request.on(event, stall.stop);
    request.on('error', hangUp);
    request.on('close', () => {
      if (!request.complete) hangUp();
    });
  });
}

function join(chunks: readonly Buffer[], body: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  let at = 0;
  for (const chunk of chunks) {
    at += chunk.copy(body, at);
    // Both at once only of one request, however many are in work.
    freeChunk(chunk);
  }
  return body;
}
