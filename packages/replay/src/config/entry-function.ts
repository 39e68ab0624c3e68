/** A function of the user that crosses a boundary: an agent, a tool, whatever was wrapped. */
export type EntryFunction<Value = unknown> = (...parameters: never[]) => Value | Promise<Value>;
