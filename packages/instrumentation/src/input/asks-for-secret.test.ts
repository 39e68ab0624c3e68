import { describe, expect, it } from 'vitest';
import { asksForSecret } from './asks-for-secret.ts';

describe('asksForSecret', () => {
  it.each([
    'Password: ',
    'Your API key: ',
    '? Enter the database password ***',
    'noise\nEnter passphrase for key: ',
    '◆  Your database password\n│  _\n└\n│  ▪▪',
    '◆  API key\n│\n└\n',
  ])('finds what is asked in the last line, or above its frame: %j', (shown) => {
    expect(asksForSecret(shown)).toBe(true);
  });

  it.each([
    '',
    'Ann> ',
    'How many tokens? ',
    'Your password is weak.\n> ',
    'Your password is weak.\n',
    '◆  Who?\n│  _\n└\n',
    'The API key was refused.\n◆  Go on?\n│  ● Yes / ○ No\n└\n',
  ])('finds nothing in an answer before, or in another question: %j', (shown) => {
    expect(asksForSecret(shown)).toBe(false);
  });
});
