import { connect } from 'node:http2';
import { text } from 'node:stream/consumers';

export const run = async (address) => {
  const session = connect(address);
  const stream = session.request({ ':method': 'POST', ':path': '/echo' });
  stream.end('shares=1000');
  const seen = [await text(stream), await text(session.request({ ':path': '/limited' }))];
  session.destroy();
  return seen;
};
