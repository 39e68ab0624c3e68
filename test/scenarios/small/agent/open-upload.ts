// A program that ends while what it sends is still open: a log that is followed, or an upload that nobody finishes.
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { request as ask } from 'undici';

const { ASKED_URL = '', WAY } = process.env;

/** Gives its first part, and then nothing more. */
function opened(): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('begun')) });
}

console.log((await fetch(`${ASKED_URL}/first`)).status);
if (WAY === 'fetch') {
  void fetch(`${ASKED_URL}/open`, { method: 'POST', body: opened(), duplex: 'half' } as RequestInit).catch(() => {});
} else if (WAY === 'undici') {
  const body = new Readable({ read() {} });
  body.push('begun');
  void ask(`${ASKED_URL}/open`, { method: 'POST', body }).catch(() => {});
} else {
  const sending = request(`${ASKED_URL}/open`, { method: 'POST' });
  sending.on('error', () => {});
  sending.write('begun');
}
setTimeout(() => process.exit(0), 100);
