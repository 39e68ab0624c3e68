import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '@reenact/collector';
import { systemDisk } from '@reenact/collector/testing';
import { AgentConversations, sliceSpans } from './agent-conversations.ts';
import { type BenchResult, type BenchSize, medianOf, timed } from './bench-result.ts';

const SPAN_CHARACTERS = 30_000;
const TIMES_GOAL = 4;

/** How long one span of 30 KB takes until it is acknowledged, against one bare write and fdatasync of as many bytes. */
export async function collectorStoreLatency({ isSmoke }: BenchSize): Promise<BenchResult> {
  const count = isSmoke ? 20 : 3000;
  const directory = mkdtempSync(join(tmpdir(), 'reenact-bench-latency-'));
  const conversations = new AgentConversations({ steps: 1, textCharactersMax: 1 });
  const store = await openStore(join(directory, 'data'));
  const file = systemDisk.open(join(directory, 'bare'));
  try {
    const bytes = Buffer.from(conversations.text(SPAN_CHARACTERS));
    systemDisk.write(file, [Buffer.alloc(bytes.length * (count + 1))], 0);
    systemDisk.sync(file, true);
    const acknowledged: number[] = [];
    const bare: number[] = [];
    for (let number = 1; number <= count; number += 1) {
      const spans = sliceSpans('latency', [
        {
          traceId: `e${(number >> 5).toString(16).padStart(31, '0')}`,
          spanId: `f${number.toString(16).padStart(15, '0')}`,
          name: 'chat',
          kind: 1,
          startTimeUnixNano: '1763700000000000001',
          endTimeUnixNano: '1763700001000000002',
          attributes: [{ key: 'content', value: { stringValue: conversations.text(SPAN_CHARACTERS) } }],
        },
      ]);
      acknowledged.push((await timed(() => store.appendSpans('default', spans, []))).ms);
      const { ms } = await timed(() => {
        systemDisk.write(file, [bytes], number * bytes.length);
        systemDisk.sync(file, false);
      });
      bare.push(ms);
    }
    const times = medianOf(acknowledged) / medianOf(bare);
    const at99 = (values: readonly number[]) =>
      values.toSorted((left, right) => left - right)[Math.floor(values.length * 0.99)] ?? Number.NaN;
    return {
      name: 'latency',
      what: `${count} spans of 30 KB, one at a time, each followed by a bare write and fdatasync of as many bytes`,
      figures: [
        {
          name: 'acknowledgement against bare fdatasync, median',
          value: times,
          unit: '×',
          goal: { words: `at most ${TIMES_GOAL}`, isMet: times <= TIMES_GOAL },
        },
        { name: 'acknowledgement, median', value: medianOf(acknowledged), unit: 'ms' },
        { name: 'acknowledgement, 99th percentile', value: at99(acknowledged), unit: 'ms' },
        { name: 'bare fdatasync, median', value: medianOf(bare), unit: 'ms' },
        { name: 'bare fdatasync, 99th percentile', value: at99(bare), unit: 'ms' },
      ],
    };
  } finally {
    systemDisk.close(file);
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
