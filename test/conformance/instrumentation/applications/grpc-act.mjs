const plain = {
  requestSerialize: (value) => Buffer.from(JSON.stringify(value)),
  responseDeserialize: (bytes) => JSON.parse(bytes.toString()),
};
const quotes = {
  get: { ...plain, path: '/test.Quotes/Get', requestStream: false, responseStream: false },
  list: { ...plain, path: '/test.Quotes/List', requestStream: false, responseStream: true },
};
/** What the application does with whichever copy of grpc-js it has loaded; everything it gives is JSON. */
export async function act(grpc, address) {
  const Quotes = grpc.makeGenericClientConstructor(quotes, 'Quotes');
  const client = new Quotes(address, grpc.credentials.createInsecure());
  const get = (symbol) =>
    new Promise((resolve) => {
      client.get({ symbol, shares: 1 }, (error, value) => resolve([error?.code, error?.details, value]));
    });
  const listed = [];
  for await (const quote of client.list({ symbol: 'ACME', shares: 3 })) listed.push(quote);
  const seen = { given: await get('ACME'), refused: await get('ERR'), listed };
  client.close();
  return seen;
}
