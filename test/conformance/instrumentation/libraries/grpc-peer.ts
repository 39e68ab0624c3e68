import * as grpc from '@grpc/grpc-js';
import type { Peer } from '../fidelity-library.ts';

/** What a message holds. */
export interface Quote {
  readonly symbol: string;
  readonly shares: number;
}

function method(name: string, requestStream: boolean, responseStream: boolean): grpc.MethodDefinition<Quote, Quote> {
  const serialize = (value: Quote): Buffer => Buffer.from(JSON.stringify(value));
  const deserialize = (bytes: Buffer): Quote => JSON.parse(bytes.toString()) as Quote;
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

function failure(code: grpc.status, details: string): grpc.ServiceError {
  const metadata = new grpc.Metadata();
  metadata.set('why', 'closed');
  metadata.set('proof-bin', Buffer.from([0, 255]));
  return Object.assign(new Error(details), { code, details, metadata });
}

type Answer = grpc.sendUnaryData<Quote>;

/** A gRPC server in every mood; the symbol chooses. */
class GrpcPeer implements Peer {
  contacts = 0;
  address = '';
  private readonly server: grpc.Server;
  private isLimited = true;
  private held: (() => void)[] = [];

  constructor() {
    const counting: grpc.ServerInterceptor = (_method, call) => {
      this.contacts += 1;
      return new grpc.ServerInterceptingCall(call);
    };
    this.server = new grpc.Server({ interceptors: [counting] });
    this.server.addService(quotes, {
      get: (call: grpc.ServerUnaryCall<Quote, Quote>, answer: Answer) => this.get(call, answer),
      list: (call: grpc.ServerWritableStream<Quote, Quote>) => this.list(call),
      sum: (call: grpc.ServerReadableStream<Quote, Quote>, answer: Answer) => {
        let shares = 0;
        call.on('data', (quote: Quote) => {
          shares += quote.shares;
        });
        call.on('end', () => answer(null, { symbol: 'sum', shares }));
      },
      chat: (call: grpc.ServerDuplexStream<Quote, Quote>) => {
        call.on('data', ({ symbol, shares }: Quote) => call.write({ symbol: `re: ${symbol}`, shares: shares * 2 }));
        call.on('end', () => call.end());
      },
    });
  }

  async listen(): Promise<this> {
    const port = await new Promise<number>((resolve, reject) => {
      this.server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    this.address = `127.0.0.1:${port}`;
    return this;
  }

  private get(call: grpc.ServerUnaryCall<Quote, Quote>, answer: Answer): void {
    const { symbol, shares } = call.request;
    const trailer = new grpc.Metadata();
    trailer.set('x-last', 'bye');
    const give = (): void => {
      const metadata = new grpc.Metadata();
      metadata.set('x-first', call.metadata.get('x-asked').map(String).join() || 'nobody');
      call.sendMetadata(metadata);
      answer(null, { symbol, shares: shares + 1 }, trailer);
    };
    switch (symbol) {
      case 'NEVER':
        return;
      case 'ERR':
        answer(failure(grpc.status.NOT_FOUND, 'no such symbol: é'));
        return;
      case 'LIMITED':
        if (!this.isLimited) break;
        this.isLimited = false;
        answer(failure(grpc.status.UNAVAILABLE, 'slow down'));
        return;
      case 'HELD':
        this.holdBack(give);
        return;
    }
    give();
  }

  /** Three answers, the last first, a turn apart: frames of one connection keep their order. */
  private holdBack(give: () => void): void {
    this.held.push(give);
    if (this.held.length < 3) return;
    const due = this.held.splice(0).reverse();
    const next = (): void => {
      due.shift()?.();
      if (due.length > 0) setImmediate(next);
    };
    next();
  }

  private list(call: grpc.ServerWritableStream<Quote, Quote>): void {
    const { symbol, shares } = call.request;
    const next = (index: number): void => {
      if (call.cancelled) return;
      if (symbol === 'BREAK' && index === 2) {
        call.emit('error', failure(grpc.status.DATA_LOSS, 'broke'));
        return;
      }
      if (symbol === 'ENDLESS' && index === 3) return;
      if (index === shares) {
        call.end();
        return;
      }
      call.write({ symbol, shares: index });
      setImmediate(() => next(index + 1));
    };
    next(0);
  }

  async stop(): Promise<void> {
    this.server.forceShutdown();
    // The port is let go of a turn later.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Starts it on a free port. */
export function startGrpcPeer(): Promise<Peer> {
  return new GrpcPeer().listen();
}
