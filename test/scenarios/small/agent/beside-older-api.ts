// An agent beside a vendor's package that has an SDK and an OpenTelemetry API of its own, in the module that `VENDOR` names.
import { agent, tool } from 'reenact';

interface Vendor {
  readonly within: <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;
  readonly seen: () => readonly string[];
}

const { within, seen } = (await import(process.env.VENDOR ?? '')) as Vendor;

const quote = tool('quote', async () => 190);
const advise = agent('advise', () => within('in the run', () => quote()));

await within('around the run', () => advise());
console.log(seen().join());
