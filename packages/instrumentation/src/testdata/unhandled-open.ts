import { promises } from 'node:fs';
import { installConnectionWatch } from '../index.ts';

// Run as a process of its own, which a failure that nobody handles is to end.
installConnectionWatch();
promises.open('/there/is/nothing', 'r').catch(() => process.stdout.write('handled\n'));
void promises.open('/there/is/nothing', 'r');
setTimeout(() => process.stdout.write('went on\n'), 10_000).unref();
