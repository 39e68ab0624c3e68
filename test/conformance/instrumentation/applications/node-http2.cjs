const http2 = require('node:http2');
const { text } = require('node:stream/consumers');

exports.run = async (address) => {
  const session = http2.connect(address);
  const seen = await text(session.request({ ':path': '/echo' }));
  session.destroy();
  return seen;
};
