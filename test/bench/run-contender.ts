// One contender in a process of its own, for they all replace the same functions. Started by replay-http.ts.
import { measureContender } from './http-contender.ts';
import type { HttpClient } from './http-traffic.ts';

const [contender = '', client = 'fetch', count = '1', rounds = '1'] = process.argv.slice(2);

async function contenderNamed(name: string): Promise<Parameters<typeof measureContender>[0]> {
  switch (name) {
    case 'reenact':
      return (await import('./contender-reenact.ts')).contenderReenact;
    case 'nock':
      return (await import('./contender-nock.ts')).contenderNock;
    case 'polly':
      return (await import('./contender-polly.ts')).contenderPolly;
    default:
      throw new TypeError(`There is no contender "${name}".`);
  }
}

const measured = await measureContender(await contenderNamed(contender), client as HttpClient, {
  count: Number(count),
  rounds: Number(rounds),
});
console.log(JSON.stringify(measured));
