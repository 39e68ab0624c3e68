import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { recordAndReplay } from '../testdata/replay-of.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

/** How often the code of the tool ran. */
let calls = 0;

async function expectSame<Given>(given: () => Given, read: (given: Given) => unknown): Promise<void> {
  calls = 0;
  const give = tool('give', async () => {
    calls += 1;
    return given();
  });
  const run = agent('main', async () => read(await give()));
  const { recorded, replayed, player } = await recordAndReplay(host, run);
  expect(recorded).toHaveProperty('value');
  expect(replayed).toStrictEqual(recorded);
  expect([player.refusals, calls]).toEqual([[], 1]);
  const { attributes } = await host.recordedAs('execute_tool give');
  expect(attributes['reenact.lossy']).toBeUndefined();
}

describe('files that a tool gives', () => {
  it('come again, to be read, cut and sent as they were', async () => {
    const image = new Uint8Array(70_000).map((_, index) => index);
    await expectSame(
      () => new Blob([image, 'end'], { type: 'image/png' }),
      async (blob) => {
        const request = new Request('http://127.0.0.1/', { method: 'POST', body: blob });
        const chunks: number[] = [];
        for await (const chunk of blob.slice(69_990).stream()) chunks.push(...chunk);
        const form = new FormData();
        form.append('file', blob, 'name.png');
        return [
          [blob.constructor === Blob, blob.type, blob.size, await blob.slice(-3).text(), chunks],
          [request.headers.get('content-type'), Buffer.from(await request.arrayBuffer())],
          [form.get('file') instanceof File],
        ];
      },
    );
  });

  it('come again inside of others and in forms, one that stands in two places as one', async () => {
    const file = new File(['a,b'], 'a.csv', { type: 'text/csv', lastModified: 1_700_000_000_000 });
    const form = new FormData();
    form.append('note', 'text');
    form.append('file', file);
    await expectSame(
      () => ({ files: new Map([['first', file]]), again: [file], form }),
      async ({ files, again, form: sent }) => {
        const [first] = again;
        const attached = sent.get('file') as File;
        return [
          [first === files.get('first'), first?.name, first?.lastModified, await first?.text()],
          [[...sent.keys()], attached.name, attached.lastModified, await attached.text()],
        ];
      },
    );
  });
});
