import { InMemorySpanExporter } from '@opentelemetry/sdk-trace-base';
import { RecordingProcessor, tool } from '../index.ts';

// Run as a process of its own: prints which rejections nobody handled.
new RecordingProcessor(new InMemorySpanExporter());
const fail = tool('fail', async (name: string) => {
  throw new RangeError(name);
});
process.on('unhandledRejection', (error) => process.stdout.write(`${(error as Error).message}\n`));
fail('handled').catch(() => {});
void fail('unhandled');
