import { describe, expect, it } from 'vitest';
import { shellWord } from './shell-word.ts';

describe('what a shell takes as one word', () => {
  it.each([
    ['agent:a/tool:look#2', 'agent:a/tool:look#2'],
    ['http:GET api.example', "'http:GET api.example'"],
    ["tool:it's", "'tool:it'\\''s'"],
    ['tool:$HOME', "'tool:$HOME'"],
  ])('%s is written as %s', (selector, word) => {
    expect(shellWord(selector)).toBe(word);
  });
});
