import * as grpc from '@grpc/grpc-js';

/** What a message holds; any JSON. */
export interface Quote {
  readonly symbol: string;
  readonly shares: number;
}

/** No text: the first byte is none that UTF-8 has. */
function serialize(value: Quote): Buffer {
  return Buffer.concat([Buffer.from([0xff]), Buffer.from(JSON.stringify(value))]);
}

function deserialize(bytes: Buffer): Quote {
  if (bytes[0] !== 0xff) throw new RangeError('no quote');
  return JSON.parse(bytes.subarray(1).toString()) as Quote;
}

function method(name: string, requestStream: boolean, responseStream: boolean): grpc.MethodDefinition<Quote, Quote> {
  return {
    path: `/test.Quotes/${name}`,
    requestStream,
    responseStream,
    requestSerialize: serialize,
    requestDeserialize: deserialize,
    responseSerialize: serialize,
    responseDeserialize: deserialize,
  };
}

/** One method of each kind. */
export const quotes = {
  get: method('Get', false, false),
  list: method('List', false, true),
  sum: method('Sum', true, false),
  chat: method('Chat', true, true),
};

/** A client with those methods, as generated code has them. */
export interface QuotesClient extends grpc.Client {
  get(
    quote: Quote,
    metadata: grpc.Metadata,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<Quote>,
  ): grpc.ClientUnaryCall;
  list(quote: Quote, metadata?: grpc.Metadata): grpc.ClientReadableStream<Quote>;
  sum(callback: grpc.requestCallback<Quote>): grpc.ClientWritableStream<Quote>;
  chat(metadata?: grpc.Metadata): grpc.ClientDuplexStream<Quote, Quote>;
}

/** Makes such a client, which connects when it is first used. */
export function quotesClient(address: string, options: grpc.ClientOptions = {}): QuotesClient {
  const Made = grpc.makeGenericClientConstructor(quotes, 'Quotes');
  return new Made(address, grpc.credentials.createInsecure(), options) as unknown as QuotesClient;
}

function failure(code: grpc.status, details: string): grpc.ServiceError {
  const metadata = new grpc.Metadata();
  metadata.set('why', 'closed');
  metadata.set('proof-bin', Buffer.from([0, 255]));
  return Object.assign(new Error(details), { code, details, metadata });
}

const handlers: grpc.UntypedServiceImplementation = {
  get: (call: grpc.ServerUnaryCall<Quote, Quote>, callback: grpc.sendUnaryData<Quote>) => {
    const { symbol, shares } = call.request;
    if (symbol === 'NEVER') return;
    if (symbol === 'ERR') return callback(failure(grpc.status.NOT_FOUND, 'no such symbol: é'));
    const metadata = new grpc.Metadata();
    metadata.set('x-first', call.metadata.get('x-asked').map(String).join() || 'nobody');
    call.sendMetadata(metadata);
    const trailer = new grpc.Metadata();
    trailer.set('x-last', 'bye');
    callback(null, { symbol, shares: shares + 1 }, trailer);
  },
  list: (call: grpc.ServerWritableStream<Quote, Quote>) => {
    const { symbol, shares } = call.request;
    const next = (index: number): void => {
      if (call.cancelled) return;
      if (symbol === 'BREAK' && index === 2) return void call.emit('error', failure(grpc.status.DATA_LOSS, 'broke'));
      if (index === shares) return void call.end();
      call.write({ symbol, shares: index });
      setImmediate(() => next(index + 1));
    };
    next(0);
  },
  sum: (call: grpc.ServerReadableStream<Quote, Quote>, callback: grpc.sendUnaryData<Quote>) => {
    let shares = 0;
    call.on('data', (quote: Quote) => {
      shares += quote.shares;
    });
    call.on('end', () => callback(null, { symbol: 'sum', shares }));
  },
  chat: (call: grpc.ServerDuplexStream<Quote, Quote>) => {
    call.on('data', ({ symbol, shares }: Quote) => call.write({ symbol: `re: ${symbol}`, shares: shares * 2 }));
    call.on('end', () => call.end());
  },
};

/** A real server on a free port; counts what reaches it. */
export class QuoteServer {
  readonly address: string;
  readonly calls: { readonly path: string; readonly baggage: string }[];
  private readonly server: grpc.Server;

  private constructor(server: grpc.Server, port: number, calls: QuoteServer['calls']) {
    this.server = server;
    this.address = `127.0.0.1:${port}`;
    this.calls = calls;
  }

  /** Answers until it is stopped, with the handlers above or some of them replaced. */
  static async start(replaced: grpc.UntypedServiceImplementation = {}): Promise<QuoteServer> {
    const calls: { path: string; baggage: string }[] = [];
    const counting: grpc.ServerInterceptor = ({ path }, call) =>
      new grpc.ServerInterceptingCall(call, {
        start: (next) =>
          next({
            onReceiveMetadata: (metadata, pass) => {
              calls.push({ path, baggage: metadata.get('baggage').map(String).join() });
              pass(metadata);
            },
          }),
      });
    const server = new grpc.Server({ interceptors: [counting] });
    server.addService(quotes, { ...handlers, ...replaced });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    return new QuoteServer(server, port, calls);
  }

  async stop(): Promise<void> {
    this.server.forceShutdown();
    // The port is let go of a turn later.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
