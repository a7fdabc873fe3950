import { searchedName } from '../body/find-name.ts'
import { closeBrace, openBrace } from '../body/json-bytes.ts'
import { skipValue, valueAfter } from '../body/scan.ts'
import { type ReportedUsage, readUsage } from './usage.ts'

export const usageName = searchedName('usage')

/**
 * Reads the usage of a whole answer that is at hand as text, in the form that nearly all have: its last member, or one
 * with nothing but braces inside that are closed before the next member.
 *
 * @returns null if it has another form: then its bytes tell
 */
export function usageInText(text: string): ReportedUsage | null {
  const at = text.lastIndexOf('"usage":')
  if (at < 0) return null
  const start = at + 8
  // First the end of the whole: most answers end with their usage.
  let end = text.lastIndexOf('}', text.lastIndexOf('}') - 1)
  for (let attempt = 0; attempt < 2 && end > start; attempt++) {
    try {
      return readUsage(JSON.parse(text.slice(start, end + 1)))
    } catch {
      end = endOfObject(text, start)
    }
  }
  return null
}

/** Where the object ends that begins at `from` or after; strings with braces mislead it. */
function endOfObject(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === openBrace) depth++
    else if (character === closeBrace && --depth === 0) return at
  }
  return -1
}

/**
 * Reads the value of a `usage` member whose name stands at `at`.
 *
 * @returns 'cut' if the bytes end within it; else the usage, null if it is not a usage object, and the index behind it: what
 *   is nested in it is not read again, which of many levels would take long
 */
export function usageAt(bytes: Buffer, at: number): { usage: ReportedUsage | null; end: number } | 'cut' {
  const nameEnd = at + usageName.length
  const start = valueAfter(bytes, nameEnd)
  if (start >= bytes.length) return 'cut'
  if (bytes[start] !== openBrace) return { usage: null, end: nameEnd }
  const end = skipValue(bytes, start)
  if (end > bytes.length) return 'cut'
  try {
    return { usage: readUsage(JSON.parse(bytes.toString('utf8', start, end))), end }
  } catch {
    // Not JSON: whatever it is, it is not what we look for.
    return { usage: null, end }
  }
}
