import { startCollector } from '@reenact/collector';

/** A collector in a process of its own, to be killed. Prints its address; argument: its data directory. */
const collector = await startCollector({ dataDirectory: process.argv[2] ?? '', httpPort: 0, grpcPort: 0 });
console.log(collector.httpUrl);
