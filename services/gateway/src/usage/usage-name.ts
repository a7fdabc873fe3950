import { openBrace } from '../body/json-bytes.ts'
import { skipValue, valueAfter } from '../body/scan.ts'
import { readUsage, type Usage } from './usage.ts'

/** How the name of the member stands in JSON. Within a text it cannot stand so: its quotes would be escaped. */
export const usageName: Buffer = Buffer.from('"usage"')

/**
 * Reads the usage of a whole answer that is at hand as text, in the form that nearly all have.
 *
 * @returns null if it has another form: then its bytes tell
 */
export function usageInText(text: string): Usage | null {
  const at = text.lastIndexOf('"usage"')
  if (at < 0 || text[at + 7] !== ':') return null
  const start = text[at + 8] === ' ' ? at + 9 : at + 8
  let depth = 0
  for (let end = start; end < text.length; end++) {
    const character = text[end]
    if (character === '{') depth++
    else if (character === '}') depth--
    if (depth > 0) continue
    try {
      return readUsage(JSON.parse(text.slice(start, end + 1)))
    } catch {
      return null
    }
  }
  return null
}

/**
 * Reads the value of a `usage` member whose name stands at `at`.
 *
 * @returns 'cut' if the bytes end within it, null if it is not a usage object
 */
export function usageAt(bytes: Buffer, at: number): Usage | 'cut' | null {
  const start = valueAfter(bytes, at + usageName.length)
  if (start >= bytes.length) return 'cut'
  if (bytes[start] !== openBrace) return null
  const end = skipValue(bytes, start)
  if (end > bytes.length) return 'cut'
  try {
    return readUsage(JSON.parse(bytes.toString('utf8', start, end)))
  } catch {
    // Not JSON: whatever it is, it is not what we look for.
    return null
  }
}
