/** Nobody writes a name so short by hand that is to be told from others. */
const shortName = /^[\w$]{1,2}$/;

/** Names that minifiers give where a bundle has thousands of them, but for those that could be words, such as `Fee`. */
const longerName = /^(?![A-Z][a-z]+$)[\w$]{3,4}$/;

/** A class without a space before its brace, as minifiers write it and formatters do not. */
const packedClass = /^class(?: [\w$]+)?(?: extends [\w$.]+)?\{/;

/**
 * Whether a minifier gave a class its name, so that another class may have it in a program that was built anew. Longer names count where the text of the
 * class is packed and does not say the name as a text, as it does where a bundler keeps names.
 */
export function isNamedByMinifier(name: string, named: object | undefined): boolean {
  if (shortName.test(name)) return true;
  if (typeof named !== 'function' || !longerName.test(name)) return false;
  const text = Function.prototype.toString.call(named);
  return packedClass.test(text) && !text.includes(`"${name}"`);
}
