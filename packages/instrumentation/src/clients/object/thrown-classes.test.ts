import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeValue, encodeValue } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findDriverClasses } from '../../index.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-thrown-'));
  findDriverClasses();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Loads a package as CommonJS that has these classes of errors, as the package of that name has. */
function loaded(library: string, names: readonly string[]): Record<string, new (message: string) => Error> {
  const place = join(folder, 'node_modules', library);
  mkdirSync(place, { recursive: true });
  const classes = names.map((name) => `exports.${name} = class ${name} extends Error {};`);
  writeFileSync(join(place, 'index.js'), classes.join('\n'));
  return createRequire(join(folder, 'app.js'))(library) as Record<string, new (message: string) => Error>;
}

describe('what clients throw whose answers are plain values', () => {
  it.each([
    ['@elastic/transport', 'ElasticsearchClientError', 'ResponseError'],
    ['@mikro-orm/core', 'UniqueConstraintViolationException', 'ForeignKeyConstraintViolationException'],
    ['@nats-io/nats-core', 'NoRespondersError', 'TimeoutError'],
    ['@opensearch-project/opensearch', 'OpenSearchClientError', 'ResponseError'],
    ['@pinecone-database/pinecone', 'Pinecone', 'PineconeNotFoundError'],
    ['@prisma/client', 'PrismaClientKnownRequestError', 'PrismaClientValidationError'],
    ['@prisma/driver-adapter-utils', 'DriverAdapterError', 'DriverAdapterError'],
    ['chromadb', 'ChromaClient', 'ChromaNotFoundError'],
    ['drizzle-orm', 'DrizzleQueryError', 'TransactionRollbackError'],
    ['kafkajs', 'KafkaJSError', 'KafkaJSNonRetriableError'],
    ['mariadb', 'SqlError', 'SqlError'],
    ['mqtt', 'ErrorWithReasonCode', 'ErrorWithSubackPacket'],
    ['nats', 'NatsError', 'ServiceError'],
    ['sequelize', 'SequelizeScopeError', 'UniqueConstraintError'],
    ['typeorm', 'QueryFailedError', 'EntityNotFoundError'],
  ])('is of the class of %s', (library, known, name) => {
    const Thrown = loaded(library, [known, name])[name];
    if (Thrown === undefined) throw new TypeError(`${library} has no ${name}`);
    const { payload, lossy } = encodeValue(new Thrown('no'));
    expect(lossy).toEqual([]);
    const error = decodeValue(payload);
    expect([error instanceof Thrown, (error as Error).message]).toEqual([true, 'no']);
  });
});

describe('what Prisma gives', () => {
  it('is of the classes of its runtime, whatever they are called there', () => {
    const place = join(folder, 'node_modules', '@prisma/client-runtime-utils');
    mkdirSync(place, { recursive: true });
    const source = `
      exports.PrismaClientKnownRequestError = class PrismaClientKnownRequestError extends Error {};
      exports.Decimal = class Decimal2 { constructor(value) { this.constructor = Decimal2; this.digits = [value]; } };`;
    writeFileSync(join(place, 'index.js'), source);
    const { Decimal } = createRequire(join(folder, 'app.js'))('@prisma/client-runtime-utils') as {
      Decimal: new (value: number) => { digits: number[] };
    };
    const { payload, lossy } = encodeValue([new Decimal(7)]);
    const [price] = decodeValue(payload) as [InstanceType<typeof Decimal>];
    expect([lossy, price instanceof Decimal, price.digits, price.constructor === Decimal]).toEqual([
      [],
      true,
      [7],
      true,
    ]);
  });
});
