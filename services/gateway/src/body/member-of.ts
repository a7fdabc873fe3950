/** @returns a member of a JSON value; undefined if the value is not an object, or lacks the member */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
