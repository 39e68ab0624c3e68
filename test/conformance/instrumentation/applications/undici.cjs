const undici = require('undici');

exports.run = async (address) => (await import('./undici-act.mjs')).act(undici, address);
