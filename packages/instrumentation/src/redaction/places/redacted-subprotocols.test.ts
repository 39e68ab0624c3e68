import { describe, expect, it } from 'vitest';
import { redactedSubprotocols } from './redacted-subprotocols.ts';

const redacted = (value: string): string => redactedSubprotocols({ credential: () => '***' }, value);

describe('subprotocols of a WebSocket', () => {
  it.each([
    ['token, 0123456789abcdef0123456789abcdef01234567', 'token, ***'],
    ['Bearer,eyJhbGciOiJIUzI1NiJ9', 'Bearer,***'],
    ['realtime, openai-insecure-api-key.sk-proj-a1b2c3d4e5f6g7h8', 'realtime, ***'],
    ['base64url.bearer.authorization.k8s.io.ZXlKaGJHY2lPaUpTVXpJMU5pSjk, v4.channel.k8s.io', '***, v4.channel.k8s.io'],
    ['0123456789abcdef0123', '***'],
    ['token, short', 'token, ***'],
  ])('lose what is a credential: %s', (value, expected) => {
    expect(redacted(value)).toBe(expected);
  });

  it.each([
    'graphql-transport-ws',
    'graphql-ws, v4.channel.k8s.io',
    'realtime, openai-beta.realtime-v1',
    'ocpp2.0.1,ocpp1.6',
    'v1.usp, soap, xmpp, mqtt, wamp.2.json, v12.stomp',
    'token',
    '',
  ])('keep the names of protocols: %s', (value) => {
    expect(redacted(value)).toBe(value);
  });

  it('are searched in time that grows with their length', () => {
    const before = process.cpuUsage();
    redacted('a'.repeat(1_000_000));
    redacted(`${'a'.repeat(19)}.`.repeat(50_000));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(5_000);
  });
});
