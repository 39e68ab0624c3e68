import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider that limits its caller twice, never answers what is "slow", and counts. */
export interface RateLimitedProvider {
  readonly environment: NodeJS.ProcessEnv;
  requestCount(): number;
  stop(): Promise<void>;
}

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'gpt-5-mini',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'at last' } }],
};

/** Starts it on a free port. Each limited answer asks to wait for `retryAfterSeconds`. */
export async function startRateLimitedProvider(retryAfterSeconds: number): Promise<RateLimitedProvider> {
  let requests = 0;
  let limited = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.setEncoding('utf8');
    let body = '';
    request.on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      if (body.includes('slow')) return;
      limited += 1;
      const isLimited = limited <= 2;
      const headers = { 'content-type': 'application/json', 'retry-after': String(retryAfterSeconds) };
      response.writeHead(isLimited ? 429 : 200, headers);
      response.end(JSON.stringify(isLimited ? { error: { message: 'too many requests' } } : completion));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    environment: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'local' },
    requestCount: () => requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
