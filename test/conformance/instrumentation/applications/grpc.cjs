const grpc = require('@grpc/grpc-js');

exports.run = async (address) => (await import('./grpc-act.mjs')).act(grpc, address);
