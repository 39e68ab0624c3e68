import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Message } from '@bufbuild/protobuf';
import type { GenFile, GenMessage } from '@bufbuild/protobuf/codegenv2';
import { agent } from '@reenact/instrumentation';

type Key = Message & { user: string; apiKey: string; proof?: Proof; headers: Record<string, string> };
type Proof = Message & { password: Uint8Array; note: string };
type Door = Message & { name: string; sessionToken: string };

/** `vault.proto` of package `test.vault`, as protoc-gen-es writes it into its code. */
const DEFINITION =
  'Cgt2YXVsdC5wcm90bxIKdGVzdC52YXVsdCKlAQoDS2V5EgwKBHVzZXIYASABKAkSDwoHYXBpX2tleRgCIAEoCRIgCgVwcm9vZhgDIAEoCzIRLnRlc3QudmF1bHQuUHJvb2YSLQoHaGVhZGVycxgEIAMoCzIcLnRlc3QudmF1bHQuS2V5LkhlYWRlcnNFbnRyeRouCgxIZWFkZXJzRW50cnkSCwoDa2V5GAEgASgJEg0KBXZhbHVlGAIgASgJOgI4ASInCgVQcm9vZhIQCghwYXNzd29yZBgBIAEoDBIMCgRub3RlGAIgASgJIisKBERvb3ISDAoEbmFtZRgBIAEoCRIVCg1zZXNzaW9uX3Rva2VuGAIgASgJMo8BCgVWYXVsdBIpCgRPcGVuEg8udGVzdC52YXVsdC5LZXkaEC50ZXN0LnZhdWx0LkRvb3ISLQoEVGFsaxIPLnRlc3QudmF1bHQuS2V5GhAudGVzdC52YXVsdC5Eb29yKAEwARIsCgVXYXRjaBIPLnRlc3QudmF1bHQuS2V5GhAudGVzdC52YXVsdC5Eb29yMAFiBnByb3RvMw';

interface Codegen {
  fileDesc(definition: string): GenFile;
  messageDesc<Shape extends Message>(file: GenFile, index: number): GenMessage<Shape>;
}

type Library = Pick<typeof import('@bufbuild/protobuf'), 'create' | 'fromBinary' | 'toBinary'>;

/** Generated code as it loads the library. */
export type Format = 'import' | 'require';

/** What it has for one service, each of its own package: what one format has learnt is no help to the other. */
export interface GeneratedVault {
  readonly path: string;
  readonly library: Library;
  readonly KeySchema: GenMessage<Key>;
  readonly DoorSchema: GenMessage<Door>;
}

/** Loads the library, and the code that was generated for it. */
export async function generatedVault(format: Format): Promise<GeneratedVault> {
  const load = createRequire(import.meta.url);
  const isImport = format === 'import';
  const codegen = (await (isImport
    ? import('@bufbuild/protobuf/codegenv2')
    : load('@bufbuild/protobuf/codegenv2'))) as Codegen;
  const library = (await (isImport ? import('@bufbuild/protobuf') : load('@bufbuild/protobuf'))) as Library;
  const named = isImport ? 'test.valve' : 'test.vapor';
  const definition = Buffer.from(DEFINITION, 'base64').toString('latin1').replaceAll('test.vault', named);
  const file = codegen.fileDesc(Buffer.from(definition, 'latin1').toString('base64'));
  const [KeySchema, DoorSchema] = [codegen.messageDesc<Key>(file, 0), codegen.messageDesc<Door>(file, 2)];
  return { path: `/${named}.Vault/Open`, library, KeySchema, DoorSchema };
}

function enveloped(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** A server that opens doors over HTTP: with a token, as a message or in an envelope. */
export async function startVaultServer({ library, DoorSchema }: GeneratedVault, token: string): Promise<Server> {
  const server = createServer(async (incoming, response) => {
    await buffer(incoming);
    const door = library.toBinary(DoorSchema, library.create(DoorSchema, { name: 'a door', sessionToken: token }));
    const contentType = incoming.headers['content-type'] ?? '';
    response.writeHead(200, { 'content-type': contentType }).end(contentType.includes('+') ? enveloped(door) : door);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** An agent that asks with a secret in its fields, in both framings of Connect. */
export function vaultAgent(vault: GeneratedVault, server: Server, secret: string): () => Promise<unknown> {
  const { path, library, KeySchema, DoorSchema } = vault;
  const { port } = server.address() as AddressInfo;
  const proof = { password: Buffer.from(secret), note: 'a plain note' };
  const key = library.create(KeySchema, {
    user: 'ali',
    apiKey: secret,
    proof,
    headers: { 'x-api-key': secret },
  } as never);
  const sent = async (contentType: string, body: Uint8Array): Promise<Uint8Array> => {
    const headers = { 'content-type': contentType };
    const answer = await fetch(`http://127.0.0.1:${port}/agent/p${path}`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    });
    return new Uint8Array(await answer.arrayBuffer());
  };
  return agent('vault', async () => {
    const bytes = library.toBinary(KeySchema, key);
    const door = library.fromBinary(DoorSchema, await sent('application/proto', bytes));
    const framed = await sent('application/connect+proto', enveloped(bytes));
    return [door.name, framed[0]];
  });
}
