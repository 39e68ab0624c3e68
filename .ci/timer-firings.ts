// Whether the Node.js that runs this tells when its timers and immediates begin to call what they were set with. They are recorded by members that it
// does not document, and a line that changed those would keep all timers as never fired.
import { firingsAreTold, observeFiring } from '@reenact/instrumentation';

const told: string[] = [];
const immediate = setImmediate(() => told.push('called'));
observeFiring(immediate, () => told.push('immediate'));
const timeout = setTimeout(() => told.push('called'), 1);
observeFiring(timeout, () => told.push('timeout'));
await new Promise((resolve) => setTimeout(resolve, 20));
const expected = ['immediate called timeout called', 'timeout called immediate called'];
if (!firingsAreTold() || !expected.includes(told.join(' '))) {
  console.log(`Told of timers: ${told.join(' ')}`);
  process.exitCode = 1;
}
