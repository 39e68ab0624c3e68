// Does what PROGRAM says (see test/conformance/instrumentation/performance.ts), inside a run or, with BARE=1, in a process that is one.
import { agent } from 'reenact';
import { Performance, type Program } from '../../../conformance/instrumentation/performance.ts';

const program = JSON.parse(process.env.PROGRAM ?? '') as Program;

async function perform(): Promise<unknown> {
  const performance = new Performance(process.env.PEER ?? '');
  const outcome = await performance.perform(program).catch((error: Error) => `${error.name}: ${error.message}`);
  return { outcome, heard: [...performance.heard] };
}

console.log(JSON.stringify(await (process.env.BARE === '1' ? perform() : agent('generated', perform)())));
