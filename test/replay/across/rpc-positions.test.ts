import { randomBytes } from 'node:crypto';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedPosition } from './signed-position.ts';
import { OVER_GRPC, ThreeServices } from './three-services.ts';

let services: ThreeServices;

beforeAll(async () => {
  services = await ThreeServices.set(OVER_GRPC.filter(({ name }) => name === 'risk'));
});

afterAll(() => services.stop());

interface Said {
  readonly code: number;
  readonly details?: string;
  readonly answer?: string;
}

/** Calls the risk service as somebody who is no part of the scenario. */
function call(path: string, headers: Readonly<Record<string, string>>): Promise<Said> {
  const client = new Client(new URL(services.urlOf('risk')).host, credentials.createInsecure());
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    const answer = (error: ServiceError | null, bytes?: Buffer): void => {
      client.close();
      resolve(error === null ? { code: 0, answer: String(bytes) } : { code: error.code, details: error.details });
    };
    client.makeUnaryRequest(path, same, same, Buffer.from('{"shares":7}'), metadata, answer);
  });
}

const assess = '/across.Risk/Assess';
const fine = { code: 0, answer: '{"verdict":"7 shares are fine, opinion too late"}' };

function linesAfter(before: string): string {
  return services.book.slice(before.length);
}

describe('a position that does not count and comes with a gRPC call', () => {
  it.each<[string, () => string, RegExp]>([
    [
      'forged',
      () => signedPosition(randomBytes(32).toString('base64'), 60),
      /position that its replay did not sign was ignored/g,
    ],
    ['expired', () => signedPosition(services.key, -1), /position that had expired was ignored/g],
    ['malformed', () => 'reenact.replay=x.y', /position that is malformed was ignored/g],
  ])('because it is %s makes ordinary traffic, proves nothing, and is told once', async (_name, baggage, told) => {
    await services.start(true);
    const before = services.book;
    const token = baggage().replace('reenact.replay=', '');
    expect(await call('/reenact.Join/Ask', { 'reenact-join': token })).toMatchObject({ code: status.UNIMPLEMENTED });
    expect(await call(assess, { baggage: baggage() })).toEqual(fine);
    expect(await call(assess, { baggage: `tenant=acme,${baggage()}` })).toEqual(fine);
    expect(linesAfter(before)).toBe('assessed 7\nassessed 7\n');
    expect((await services.stopServices()).match(told)).toHaveLength(1);
  });

  it('is not even looked at in a service that was started without replays', async () => {
    await services.start(false);
    const token = signedPosition(services.key, 60).replace('reenact.replay=', '');
    expect(await call('/reenact.Join/Ask', { 'reenact-join': token })).toMatchObject({ code: status.UNIMPLEMENTED });
    expect(await call(assess, { baggage: signedPosition(services.key, 60) })).toEqual(fine);
    expect(await services.stopServices()).toBe('');
  });
});

describe('a position that counts, of a replay nobody has registered', () => {
  it('is refused: it never runs for real, and nothing is proven', async () => {
    await services.start(true);
    const before = services.book;
    const token = signedPosition(services.key, 60).replace('reenact.replay=', '');
    expect(await call('/reenact.Join/Ask', { 'reenact-join': token })).toMatchObject({ code: status.UNAVAILABLE });
    expect(await call(assess, { baggage: signedPosition(services.key, 60) })).toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: expect.stringMatching(/could not join the replay/),
    });
    expect(linesAfter(before)).toBe('');
    expect(await call(assess, {})).toEqual(fine);
  });
});
