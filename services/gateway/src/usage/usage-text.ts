import type { ReportedUsage } from './usage.ts'

type Read<Value> = (value: Value) => ReportedUsage | null

/** Makes a reader of the text of a usage object from one of its value. It returns null if the text is not JSON. */
export const ofText =
  (read: Read<unknown>): Read<string> =>
  (text) => {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return null
    }
    return read(value)
  }
