import { constants, createInflateRaw, deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { expectUnpacking, watchPacking, whileReading } from './packing-watch.ts';

/** As a compressed message has it, whose last four bytes each library adds itself. */
function packed(text: string): Buffer {
  return deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4);
}

const TRAILER = Buffer.from([0x00, 0x00, 0xff, 0xff]);

let stop: () => void;
beforeEach(() => {
  stop = watchPacking();
});
afterEach(() => stop());

it('tells of each connection when its own library unpacks, where both bring the same bytes', async () => {
  const log: string[] = [];
  const names = ['first', 'second'] as const;
  const connections = { first: {}, second: {} };
  const inflaters = { first: createInflateRaw(), second: createInflateRaw() };
  const come = (name: keyof typeof connections, bytes: Buffer) =>
    expectUnpacking({
      connection: connections[name],
      bytes,
      begun: () => log.push(`${name} begins`),
      unpacked: (part) => log.push(`${name} gives ${Buffer.from(part)}`),
      done: () => log.push(`${name} is done`),
    });
  const unpack = (name: keyof typeof inflaters, bytes: Buffer) =>
    new Promise<void>((resolve) => {
      const inflater = inflaters[name].resume();
      inflater.write(bytes);
      inflater.write(TRAILER);
      inflater.flush(() => resolve());
    });
  const told = (name: string, text: string) => [`${name} begins`, `${name} gives ${text}`, `${name} is done`];

  const opening = packed('the same');
  for (const name of names) come(name, opening);
  await whileReading(connections.second, () => unpack('second', opening));
  await whileReading(connections.first, () => unpack('first', opening));
  // A library that was busy goes on by itself.
  const later = packed('the same again');
  for (const name of names) come(name, later);
  await unpack('second', later);
  await unpack('first', later);
  expect(log).toEqual(
    ['the same', 'the same again'].flatMap((text) => [...told('second', text), ...told('first', text)]),
  );
});
