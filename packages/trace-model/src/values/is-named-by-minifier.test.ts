import { describe, expect, it } from 'vitest';
import { isNamedByMinifier } from './is-named-by-minifier.ts';

/** The class of a text, which formatting would change here, under the name that it has then. */
function classOf(text: string): { readonly name: string; readonly made: object } {
  const made = new Function('keep', `${text}`)((target: object, name: string) =>
    Object.defineProperty(target, 'name', { value: name }),
  ) as { readonly name: string };
  return { name: made.name, made };
}

describe('a name that a minifier gave', () => {
  it.each([
    ['of two characters', 'class Ib { }; return Ib'],
    ['of three, in packed code', 'class xQz extends Error{constructor(e){super(e)}}return xQz'],
    ['of four, in packed code', 'var a$b9=class{total(){return 1}};return a$b9'],
  ])('is told: %s', (_, text) => {
    const { name, made } = classOf(text);
    expect(isNamedByMinifier(name, made)).toBe(true);
  });

  it.each([
    ['is longer', 'class Order{total(){return 1}}return Order'],
    ['could be a word', 'class Fee{total(){return 1}}return Fee'],
    ['stands in code that a person wrote', 'class xQz { total() { return 1; } }; return xQz'],
    ['was kept by the bundler', 'class t{static{keep(this,"SQS")}}return t'],
  ])('is none where it %s', (_, text) => {
    const { name, made } = classOf(text);
    expect(name).not.toBe('t');
    expect(isNamedByMinifier(name, made)).toBe(false);
  });

  it('is none of three characters where its class is not here to be looked at', () => {
    expect(isNamedByMinifier('xQz', undefined)).toBe(false);
  });
});
