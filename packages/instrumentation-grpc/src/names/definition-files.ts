import {
  type FieldName,
  type MessageField,
  type MessageNames,
  type MethodMessages,
  messageFields,
} from '@reenact/instrumentation';

/** A message of google/protobuf/descriptor.proto, its fields by number, each as often as it was written. */
class Descriptor {
  private readonly bytes: Uint8Array;
  private readonly fields: readonly MessageField[];

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.fields = messageFields(bytes, { start: 0, end: bytes.byteLength }) ?? [];
  }

  integer(number: number): number | undefined {
    return this.fields.findLast((field) => field.number === number)?.integer;
  }

  text(number: number): string {
    const field = this.fields.findLast((one) => one.number === number && one.type === 'bytes');
    return field === undefined ? '' : Buffer.from(this.bytes.subarray(field.start, field.end)).toString('utf8');
  }

  all(number: number): Descriptor[] {
    return this.fields
      .filter((field) => field.number === number && field.type === 'bytes')
      .map(({ start, end }) => new Descriptor(this.bytes.subarray(start, end)));
  }
}

function holdsOf(type: number | undefined): FieldName['holds'] {
  switch (type) {
    case 9:
      return 'text';
    case 11:
      return 'message';
    case 12:
      return 'bytes';
    default:
      return 'other';
  }
}

function joined(scope: string, name: string): string {
  return scope === '' ? name : `${scope}.${name}`;
}

/** The messages and methods that definition files tell of, as `FileDescriptorProto` holds them. */
export class DefinitionFiles {
  private readonly messages = new Map<string, MessageNames>();
  private readonly methods = new Map<string, MethodMessages>();

  /** @param files serialized, those that others import among them. What is no such file says nothing. */
  constructor(files: readonly Uint8Array[] = []) {
    this.add(files);
  }

  /** What more files tell, those that they import among them or added before. */
  add(files: readonly Uint8Array[]): void {
    const descriptors = files.map((file) => new Descriptor(file));
    for (const file of descriptors) for (const message of file.all(4)) this.addMessage(message, file.text(2));
    for (const file of descriptors) for (const service of file.all(6)) this.addService(service, file.text(2));
  }

  /** What goes over the wire for a method, `/<package>.<service>/<method>`; undefined where the files do not have it. */
  methodAt(path: string): MethodMessages | undefined {
    return this.methods.get(path);
  }

  private addMessage(message: Descriptor, scope: string): void {
    const name = joined(scope, message.text(1));
    const fields = new Map(message.all(2).map((field) => [field.integer(3) ?? 0, this.fieldName(field, name)]));
    const isMapEntry = message.all(7).some((options) => options.integer(7) === 1);
    this.messages.set(name, { name, isMapEntry, fields });
    for (const nested of message.all(3)) this.addMessage(nested, name);
  }

  private fieldName(field: Descriptor, scope: string): FieldName {
    const holds = holdsOf(field.integer(5));
    const name = field.text(1);
    const type = field.text(6);
    return holds === 'message' ? { name, holds, message: () => this.resolved(type, scope) } : { name, holds };
  }

  private addService(service: Descriptor, scope: string): void {
    const name = joined(scope, service.text(1));
    for (const method of service.all(2)) {
      this.methods.set(`/${name}/${method.text(1)}`, {
        request: this.resolved(method.text(2), scope),
        response: this.resolved(method.text(3), scope),
      });
    }
  }

  /** A message by the name it has where it is mentioned: from the root, or from the innermost scope outwards. */
  private resolved(name: string, scope: string): MessageNames | undefined {
    if (name.startsWith('.')) return this.messages.get(name.slice(1));
    for (let around = scope; ; around = around.slice(0, Math.max(0, around.lastIndexOf('.')))) {
      const found = this.messages.get(joined(around, name));
      if (found !== undefined || around === '') return found;
    }
  }
}
