import { describe, expect, it } from 'vitest';
import * as reenact from './index.ts';

/** As JavaScript calls them, which no type holds back. */
const call = (name: keyof typeof reenact, ...parameters: unknown[]): unknown =>
  Reflect.apply(reenact[name] as () => unknown, undefined, parameters);

const wrappers = [
  'betterSqlite3Client',
  'ioredisClient',
  'libsqlClient',
  'mongodbClient',
  'mysql2Client',
  'pgClient',
  'redisClient',
  'sqliteClient',
] as const;

describe('a wrapper of a driver', () => {
  it.each(wrappers)('refuses what is no client: %s', (name) => {
    for (const given of [undefined, null, 7, {}, () => 7, new Map()])
      expect(() => call(name, given), String(given)).toThrow(expect.objectContaining({ code: 'bad-argument' }));
  });
});

describe('an argument that is missing or no such thing', () => {
  it.each<[keyof typeof reenact, ...unknown[]]>([
    ['agent'],
    ['agent', async () => 'no name'],
    ['tool', 'name', 7],
    ['boundary'],
    ['configureRedaction'],
    ['instrumentAnthropic'],
    ['instrumentMcpClient'],
    ['instrumentMcpServer'],
    ['instrumentMcpTransport'],
    ['instrumentModel'],
    ['instrumentOpenAI'],
    ['registerErrorClass', 'NotFound'],
    ['registerValueClass', {}],
    ['withIdentity', { userId: 'u' }],
    ['withToolCallId', () => 'no id'],
  ])('is told by %s', (name, ...parameters) => {
    expect(() => call(name, ...parameters)).toThrow(expect.objectContaining({ code: 'bad-argument' }));
  });

  it.each<[keyof typeof reenact, unknown]>([
    ['replay', {}],
    ['replayAll', {}],
    ['replayAll', { recordings: { traceId: 'of one' } }],
  ])('rejects the promise of %s', async (name, options) => {
    await expect(call(name, options)).rejects.toThrow(expect.objectContaining({ code: 'bad-argument' }));
  });
});
