import { describe, expect, it } from 'vitest';
import { functionLengths } from './function-lengths.ts';
import { codeFiles } from './source-tree.ts';

const FILE_LINES_MAX = 500;
const FUNCTION_LINES_MAX = 70;
const FOLDERS_DEEP_MAX = 4;

describe('sizes', () => {
  it(`no file has more than ${FILE_LINES_MAX} lines`, () => {
    const long = codeFiles
      .filter(({ text }) => text.trimEnd().split('\n').length > FILE_LINES_MAX)
      .map(({ path }) => path);
    expect(long.join('\n')).toBe('');
  });

  it(`no function has more than ${FUNCTION_LINES_MAX} lines`, () => {
    const long = codeFiles.flatMap(({ path, text }) =>
      functionLengths(path, text)
        .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
        .map(({ line, lines }) => `${path}:${line} has ${lines} lines`),
    );
    expect(long.join('\n')).toBe('');
  });

  it('the measure itself sees a long function', () => {
    const body = Array.from({ length: FUNCTION_LINES_MAX }, () => '  work();').join('\n');
    expect(functionLengths('a.ts', `function long() {\n${body}\n}`)[0]?.lines).toBe(FUNCTION_LINES_MAX + 2);
    expect(functionLengths('a.ts', 'class A { go(): void {\n} }')[0]?.lines).toBe(2);
  });

  it(`nothing lies more than ${FOLDERS_DEEP_MAX} folders below a workspace`, () => {
    const deep = codeFiles
      .map(({ path }) => path)
      .filter((path) => {
        const below = path.replace(/^(semconv|packages\/[^/]+|collector|test)\//, '');
        return below.split('/').length - 1 > FOLDERS_DEEP_MAX;
      });
    expect(deep.join('\n')).toBe('');
  });
});
