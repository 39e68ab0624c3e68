import { SpanStatusCode } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

function refuse(): never {
  throw new TypeError('not to be read');
}

const unreadable = (member: string): Error => Object.defineProperty(new Error('x'), member, { get: refuse });

describe('whatever is thrown', () => {
  it.each([
    ['an object without a prototype', Object.create(null)],
    ['an error whose message throws', unreadable('message')],
    ['an error whose stack throws', unreadable('stack')],
    ['an error whose name throws', unreadable('name')],
    ['an error whose class throws', unreadable('constructor')],
    ['an error whose message is a symbol', Object.assign(new Error('x'), { message: Symbol('x') })],
    ['a proxy that throws at everything', new Proxy(new Error('x'), { get: refuse, getPrototypeOf: refuse })],
    ['undefined', undefined],
    ['a symbol', Symbol('x')],
  ])('%s reaches the host as it is, marks the span as failed, and is kept', async (_name, thrown) => {
    const fail = tool('fail', () => {
      throw thrown;
    });
    let caught: unknown = 'nothing';
    try {
      fail();
    } catch (error) {
      caught = error;
    }
    expect(caught === thrown).toBe(true);
    const [span] = await host.recorded();
    expect(span?.status.code).toBe(SpanStatusCode.ERROR);
    expect(span?.attributes).toMatchObject({
      'error.type': expect.any(String),
      'reenact.outcome': 'threw',
      'reenact.error': expect.any(String),
    });
  });
});
