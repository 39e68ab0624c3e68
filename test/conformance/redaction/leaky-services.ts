import * as grpc from '@grpc/grpc-js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { agent } from '@reenact/instrumentation';
import { instrumentMcpClient } from '@reenact/instrumentation-mcp';
import { z } from 'zod';

interface Note {
  readonly text: string;
}

const FIELD_TEXT = 0x0a;

/** A protobuf message with one field of text, number 1, which is shorter than 2^14 bytes. */
function serialize({ text }: Note): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.from([FIELD_TEXT, (bytes.length & 0x7f) | 0x80, bytes.length >> 7, ...bytes]);
}

function deserialize(message: Buffer): Note {
  return { text: message.subarray(3).toString() };
}

function method(name: string, responseStream: boolean): grpc.MethodDefinition<Note, Note> {
  return {
    path: `/test.Notes/${name}`,
    requestStream: false,
    responseStream,
    requestSerialize: serialize,
    requestDeserialize: deserialize,
    responseSerialize: serialize,
    responseDeserialize: deserialize,
  };
}

const notes = { get: method('Get', false), list: method('List', true), fail: method('Fail', false) };

interface NotesClient extends grpc.Client {
  get(note: Note, metadata: grpc.Metadata, callback: grpc.requestCallback<Note>): grpc.ClientUnaryCall;
  fail(note: Note, callback: grpc.requestCallback<Note>): grpc.ClientUnaryCall;
  list(note: Note): grpc.ClientReadableStream<Note>;
}

/** A gRPC server and an MCP server that answer with a secret in every place an answer has, counting their calls. */
export class LeakyServices {
  calls = 0;
  address = '';
  private readonly text: string;
  private readonly server = new grpc.Server();

  private constructor(text: string) {
    this.text = text;
    const counted = (): Note => {
      this.calls += 1;
      return { text: `it is ${text}` };
    };
    this.server.addService(notes, {
      get: (_call: unknown, answer: grpc.sendUnaryData<Note>) => answer(null, counted()),
      fail: (_call: unknown, answer: grpc.sendUnaryData<Note>) =>
        answer({ code: grpc.status.NOT_FOUND, details: `no ${counted().text}` }),
      list: (call: grpc.ServerWritableStream<Note, Note>) => {
        call.write(counted());
        call.write({ text });
        call.end();
      },
    });
  }

  static async start(text: string): Promise<LeakyServices> {
    const services = new LeakyServices(text);
    const port = await new Promise<number>((resolve, reject) => {
      services.server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    services.address = `127.0.0.1:${port}`;
    return services;
  }

  /** A client whose server is in memory; connecting it is what a replay leaves out. */
  async connectMcp(): Promise<Client> {
    const server = new McpServer({ name: 'notes', version: '1' });
    server.registerTool('get', { inputSchema: { note: z.string() } }, async ({ note }) => {
      this.calls += 1;
      return { content: [{ type: 'text', text: `${note}: ${this.text}` }], structuredContent: { note: this.text } };
    });
    server.registerTool('fail', { inputSchema: { note: z.string() } }, async () => {
      this.calls += 1;
      throw new RangeError(`no ${this.text}`);
    });
    const client = instrumentMcpClient(new Client({ name: 'agent', version: '1' }));
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(theirs), client.connect(ours)]);
    return client;
  }

  stop(): void {
    this.server.forceShutdown();
  }
}

/** Two calls of each protocol with the secret in messages, metadata, arguments, results and errors. */
export function leakyServicesAgent(text: string, services: LeakyServices): () => Promise<unknown> {
  const Notes = grpc.makeGenericClientConstructor(notes, 'Notes');
  return agent('leaky-services', async () => {
    const client = new Notes(services.address, grpc.credentials.createInsecure()) as unknown as NotesClient;
    const metadata = new grpc.Metadata();
    metadata.set('x-api-key', encodeURIComponent(text));
    const seen: unknown[] = [
      await new Promise((resolve) => client.get({ text }, metadata, (error, note) => resolve(error ?? note))),
      await new Promise((resolve) => client.fail({ text: `${text} again` }, (error) => resolve(error?.details))),
      await client.list({ text: `${text} and more` }).toArray(),
    ];
    client.close();
    const mcp = await services.connectMcp();
    seen.push(await mcp.callTool({ name: 'get', arguments: { note: text } }));
    seen.push(await mcp.callTool({ name: 'fail', arguments: { note: `${text} again` } }));
    await mcp.close();
    return seen.length;
  });
}
