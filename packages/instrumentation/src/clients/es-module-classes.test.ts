import { absentClasses, decodeValue, encodeValue } from '@reenact/trace-model';
import { MongoServerError } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { findDriverClasses, hookEsModules } from '../index.ts';

type Postgres = typeof import('postgres');
type Libsql = typeof import('@libsql/client');
let postgres: Postgres;
let libsql: Libsql;
beforeAll(async () => {
  hookEsModules();
  findDriverClasses();
  // By a name that the bundler of the tests does not see: as an application loads them, which Node.js does.
  const [ofPostgres, ofLibsql] = ['postgres', '@libsql/client'];
  ({ default: postgres } = (await import(ofPostgres ?? '')) as { default: Postgres });
  libsql = (await import(ofLibsql ?? '')) as Libsql;
});

/** Errors as a driver throws them. */
function errors(): readonly Error[] {
  const ofServer: unknown = Reflect.construct(postgres.PostgresError, [{ message: 'no such table', code: '42P01' }]);
  return [ofServer as Error, new libsql.LibsqlError('no such table', 'SQLITE_ERROR')];
}

describe('the error classes of a driver that was loaded as an ES module', () => {
  it('are there for an error that was recorded elsewhere', () => {
    const { payload } = encodeValue(new MongoServerError({ message: 'no' }));
    const data = (payload.data ?? '').replaceAll('MongoServerError', 'PostgresError');
    expect(absentClasses({ ...payload, data: data.replaceAll('"mongodb"', '"postgres"') })).toEqual([]);
    expect(absentClasses({ ...payload, data })).toEqual(['PostgresError']);
  });

  it('are known where nobody named them', () => {
    const thrown = errors();
    const { payload, lossy } = encodeValue(thrown);
    expect(lossy).toEqual([]);
    const again = decodeValue(payload) as typeof thrown;
    expect(again[0]).toBeInstanceOf(postgres.PostgresError);
    expect(again[1]).toBeInstanceOf(libsql.LibsqlError);
    expect(again.map(({ message }) => message)).toEqual(thrown.map(({ message }) => message));
  });
});
