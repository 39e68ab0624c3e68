// One run; then the process has nothing left to do once the connection that it waits on is closed, where there is one.
import { once } from 'node:events';
import { connect } from 'node:net';
import { agent } from 'reenact';

const { TOLD_ON_PORT } = process.env;
const answer = agent('short', async () => 'answered');

await answer();
if (TOLD_ON_PORT !== undefined) await once(connect(Number(TOLD_ON_PORT), '127.0.0.1').resume(), 'close');
console.log('nothing left to do');
