import { guarded, MemberPatcher, type MethodMessages } from '@reenact/instrumentation';
import { DefinitionFiles } from './definition-files.ts';

const files = new DefinitionFiles();
/** As generated code has them, in base64: read when a method is first asked for, for most programs ask for none. */
const unread: string[] = [];

/** What the generated code that was loaded says of a method. */
export function generatedMethod(path: string): MethodMessages | undefined {
  if (unread.length > 0) files.add(unread.splice(0).map((file) => Buffer.from(file, 'base64')));
  return files.methodAt(path);
}

type FileDesc = (this: unknown, file: string, ...rest: unknown[]) => unknown;

const mark = Symbol.for('reenact.protobuf.patched.1');
const members = new MemberPatcher(mark);

/**
 * Learns the definitions that code of protoc-gen-es brings, by the function of `@bufbuild/protobuf` to which each file of it hands its own
 * when it is loaded. Never throws. Returns how to undo it.
 */
export function learnGenerated(moduleExports: unknown): () => void {
  const nothing = (): void => undefined;
  return guarded(
    'watching generated code',
    () => {
      if (typeof moduleExports !== 'object' || moduleExports === null) return nothing;
      const fileDesc: unknown = Reflect.get(moduleExports, 'fileDesc');
      if (typeof fileDesc !== 'function' || members.isPatched(fileDesc)) return nothing;
      const learning: FileDesc = function learningFileDesc(file, ...rest) {
        if (typeof file === 'string') unread.push(file);
        return Reflect.apply(fileDesc, this, [file, ...rest]);
      };
      Object.defineProperty(learning, mark, { value: fileDesc });
      // Set and not defined: the exports of an ES module are put in place by the loader.
      Reflect.set(moduleExports, 'fileDesc', learning);
      return () => {
        if (Reflect.get(moduleExports, 'fileDesc') === learning) Reflect.set(moduleExports, 'fileDesc', fileDesc);
      };
    },
    nothing,
  );
}
