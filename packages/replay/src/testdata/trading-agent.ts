import { spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { agent, tool } from '@reenact/instrumentation';

const [mode = 'same'] = process.argv.slice(2);

const quote = tool('get_quote', async (symbol: string): Promise<number> => {
  writeSync(2, `quoted ${symbol} for real\n`);
  return 1;
});
const order = tool('place_order', async (shares: number): Promise<string> => {
  writeSync(2, `ordered ${shares} for real\n`);
  return 'ordered';
});

function end(how: string): void {
  switch (how) {
    case 'exit':
      process.exit(7);
      break;
    case 'throw':
      setImmediate(() => {
        throw new TypeError('uncaught');
      });
      break;
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
  }
}

const trader = agent('trader', async (request: string) => {
  const price = await quote(mode === 'changed' ? 'ACMF' : 'ACME');
  end(mode);
  await new Promise(setImmediate);
  if (mode === 'wait') {
    console.log('waiting');
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  }
  return `${request}: ${price} ${await order(1000)}`;
});

function describeEnvironment(): void {
  const { BAGGAGE, TRACEPARENT, NODE_OPTIONS, REENACT_REPLAY } = process.env;
  console.log(JSON.stringify({ BAGGAGE, TRACEPARENT, NODE_OPTIONS, REENACT_REPLAY }));
}

if (mode === 'environment') describeEnvironment();
if (mode === 'child') {
  const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), 'same'], { encoding: 'utf8' });
  console.log(child.stdout.trim());
} else if (mode !== 'nothing') console.log(await trader('sell'));
