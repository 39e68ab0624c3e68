import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedPosition } from './signed-position.ts';
import { ThreeServices } from './three-services.ts';

let three: ThreeServices;

beforeAll(async () => {
  three = await ThreeServices.set();
});

afterAll(() => three.stop());

const answer = { advice: 'I sold 1,000 shares, as you asked.', by: 'gateway' };

async function askedRuns(): Promise<number> {
  return (await three.runs()).filter(({ name }) => name === 'agent:POST /ask').length;
}

describe('a position that does not count', { timeout: 120_000 }, () => {
  it.each<[string, () => string, RegExp]>([
    [
      'forged',
      () => signedPosition(randomBytes(32).toString('base64'), 60),
      /position that its replay did not sign was ignored/,
    ],
    ['expired', () => signedPosition(three.key, -1), /position that had expired was ignored/],
    ['malformed', () => 'reenact.replay=x.y', /position that is malformed was ignored/],
  ])('because it is %s makes ordinary traffic, and is told once', async (_, baggage, told) => {
    await three.start(true);
    const before = [three.providerRequests, await askedRuns()];
    expect(await three.ask({ baggage: baggage() })).toEqual(answer);
    expect(await three.ask({ baggage: `tenant=acme,${baggage()}` })).toEqual(answer);
    const said = await three.stopServices();
    expect(said.match(new RegExp(told, 'g'))).toHaveLength(1);
    expect([three.providerRequests, await askedRuns()]).toEqual([(before[0] ?? 0) + 4, (before[1] ?? 0) + 2]);
  });

  it('is not even looked at in a service that was started without replays', async () => {
    await three.start(false);
    expect(await three.ask({ baggage: signedPosition(three.key, 60) })).toEqual(answer);
    expect(await three.stopServices()).toBe('');
  });
});

describe('a position that counts, of a replay nobody has registered', { timeout: 120_000 }, () => {
  it('is refused: it never runs for real', async () => {
    await three.start(true);
    const before = [three.providerRequests, three.book];
    const response = await fetch(`${three.gatewayUrl}/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', baggage: signedPosition(three.key, 60) },
      body: '{"wish":"Sell."}',
    });
    expect(response.status).toBe(500);
    expect(await response.text()).toMatch(/replay-refused.*could not join the replay/);
    expect([three.providerRequests, three.book]).toEqual(before);
    // The service goes on as if nothing had been.
    expect(await three.ask()).toEqual(answer);
  });
});
