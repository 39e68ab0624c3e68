import { type CollectorConfigInput, startCollector } from '@reenact/collector';

const [, , dataDirectory = '', more = '{}'] = process.argv;

/** A collector in a process of its own, to be killed. Prints its addresses; arguments: its data directory, and more configuration as JSON. */
const collector = await startCollector({
  ...(JSON.parse(more) as CollectorConfigInput),
  dataDirectory,
  httpPort: 0,
  grpcPort: 0,
});
console.log(`${collector.httpUrl}\n${collector.grpcUrl}`);
