import { type ErrorClass, registerErrorClass } from '@reenact/trace-model';

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && value.prototype instanceof Error;
}

/**
 * Makes known the error classes that are members of a client class. An error of such a class that left a tool is then thrown again as its instance,
 * also where two libraries have a class of the same name. Of a library that is loaded twice the last copy counts.
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
