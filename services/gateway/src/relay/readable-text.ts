/** Bytes that are looked at: the reason stands at the beginning, and the expressions below take their square at worst. */
const maxBytes = 8192
const maxText = 500

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  nbsp: ' '
}

/**
 * What a body of text or HTML says, on one line: the title of a page, or else its words.
 *
 * @returns null for what is neither: JSON that is cut off, or compressed bytes
 */
export function readableText(body: Buffer): string | null {
  const text = body.toString('utf8', 0, maxBytes)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they tell bytes from text
  if (/^\s*[[{"]|[\0-\x08\x0e-\x1f\x7f]|\ufffd./.test(text)) return null
  const words = /^\s*</.test(text) ? wordsOf(text) : text
  return words.replace(/\s+/g, ' ').trim().slice(0, maxText) || null
}

function wordsOf(html: string): string {
  const title = /<title[^>]*>([^<]+)/i.exec(html)?.[1]
  const shown = title ?? html.replace(/<(script|style)\b.*?<\/\1>/gis, ' ').replace(/<[^>]*>/g, ' ')
  return shown.replace(/&(#?\w{1,8});/g, (whole, name: string) => entities[name.toLowerCase()] ?? whole)
}
