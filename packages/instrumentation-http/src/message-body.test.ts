import { describe, expect, it } from 'vitest';
import { bodyOfBytes, bytesOfBody } from './message-body.ts';

describe('a body', () => {
  it('of control characters takes no more room than base64 where it is large, and is what it was', () => {
    const zeros = Buffer.alloc(2 * 1024 * 1024);
    const body = bodyOfBytes(zeros);
    expect(JSON.stringify(body).length).toBeLessThan(zeros.length * 1.4);
    expect(bytesOfBody(body)?.equals(zeros)).toBe(true);
  });

  it('of control characters is text where it is small, as it stands in recordings that it is compared with', () => {
    expect(bodyOfBytes(Buffer.alloc(64 * 1024))).toEqual({ text: '\u0000'.repeat(64 * 1024) });
  });
});
