import { findDriverClasses, mongodbClient } from '@reenact/instrumentation';
import { encodeValue } from '@reenact/trace-model';
import { Decimal128, MongoClient } from 'mongodb';
import { Decimal128 as OldDecimal128 } from 'mongodb-5';
import { describe, expect, it } from 'vitest';

describe('a class of a driver of which two copies are loaded', () => {
  it('is known where a client says which is meant, and else said to be unknown', () => {
    findDriverClasses();
    const values = [new OldDecimal128('7.25'), new Decimal128('7.25')];
    expect(encodeValue(values).lossy).toEqual(['/0 class Decimal128', '/1 class Decimal128']);
    mongodbClient(new MongoClient('mongodb://127.0.0.1:1'));
    expect(encodeValue(values).lossy).toEqual(['/0 class Decimal128']);
  });
});
