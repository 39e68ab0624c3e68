import { type ErrorClass, registerErrorClass } from '@reenact/trace-model';

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && value.prototype instanceof Error;
}

/**
 * Makes the error classes known that hang on a client class, so that an error of theirs that left a tool is thrown again
 * as an instance of its class, also where two libraries name a class alike. Of a library that is loaded twice the last counts.
 */
export function registerErrorClasses(clientClass: unknown, library: string): void {
  let holder: unknown = clientClass;
  while (typeof holder === 'function' && holder !== Function.prototype) {
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(holder))) {
      if (isErrorClass(value)) registerErrorClass(value, library);
    }
    holder = Object.getPrototypeOf(holder);
  }
}
