import { pbkdf2, randomBytes, scrypt } from 'node:crypto';
import { close, createReadStream, fstat, open, readFile } from 'node:fs';
import { open as openHandle, readFile as readPromised } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { brotliCompress, constants, createGzip, gzip } from 'node:zlib';

/** A file that is there, and in no module cache. */
const file = new URL('work-outside.ts', import.meta.url).pathname;

/** What no two compressors make small: an amount of 1 takes about a millisecond. */
function noise(amount: number): Buffer {
  const bytes = Buffer.alloc(amount * 32_768);
  for (let index = 0, state = 1; index < bytes.length; index += 1) {
    state = (state * 48_271) % 2_147_483_647;
    bytes[index] = state & 127;
  }
  return bytes;
}

async function inSteps(amount: number, step: () => Promise<unknown>): Promise<string> {
  for (let count = 0; count < amount; count += 1) await step();
  return `${amount} steps`;
}

function readByDescriptor(): Promise<unknown> {
  return new Promise((resolve, reject) => {
    open(file, (openError, descriptor) => {
      if (openError !== null) return reject(openError);
      fstat(descriptor, (error, { size }) => close(descriptor, () => (error === null ? resolve(size) : reject(error))));
    });
  });
}

async function readByHandle(): Promise<unknown> {
  const handle = await openHandle(file);
  try {
    return (await handle.read(Buffer.alloc(10), 0, 10, 0)).bytesRead;
  } finally {
    await handle.close();
  }
}

const ways = {
  gzip: (amount) =>
    new Promise((resolve, reject) => {
      gzip(noise(amount), (error, zipped) => (error === null ? resolve(zipped.length) : reject(error)));
    }),
  brotli: async (amount) => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
    return (await promisify(brotliCompress)(noise(amount), { params })).length;
  },
  zipping: async (amount) => (await buffer(Readable.from([noise(amount), noise(1)]).pipe(createGzip()))).length,
  compression: async (amount) => {
    const zipped = new Blob([noise(amount)]).stream().pipeThrough(new CompressionStream('gzip'));
    return (await new Response(zipped).blob()).size;
  },
  reading: (amount) => inSteps(amount, () => promisify(readFile)(file)),
  'reading-promised': (amount) => inSteps(amount, () => readPromised(file, 'utf8')),
  'reading-nothing': (amount) =>
    inSteps(amount, () => readPromised(`${file}.not`).catch((error: Error) => error.stack)),
  descriptor: (amount) => inSteps(amount, readByDescriptor),
  handle: (amount) => inSteps(amount, readByHandle),
  streaming: (amount) => inSteps(amount, () => buffer(createReadStream(file, { highWaterMark: 1_024 }))),
  pbkdf2: (amount) => promisify(pbkdf2)('secret', 'salt', amount * 500, 32, 'sha512'),
  scrypt: (amount) => promisify<string, string, number, unknown>(scrypt)('secret', 'salt', amount * 4),
  bytes: (amount) => inSteps(amount, () => promisify(randomBytes)(8).then(() => undefined)),
  digest: async (amount) => (await crypto.subtle.digest('SHA-512', noise(amount * 4))).byteLength,
} satisfies Record<string, (amount: number) => Promise<unknown>>;

/** Work that goes on outside JavaScript. */
export type OutsideWork = keyof typeof ways;

export const OUTSIDE_WORKS = Object.keys(ways) as OutsideWork[];

/** Whether what a program does is such work. */
export function isOutsideWork<Does extends string>(program: {
  readonly does: Does;
}): program is { readonly does: Does & OutsideWork } {
  return program.does in ways;
}

/** Does it; how long it takes grows with the amount. */
export function workOutside(does: OutsideWork, amount: number): Promise<unknown> {
  return ways[does](amount);
}
