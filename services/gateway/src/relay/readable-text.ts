/** Maximum bytes that are read, because the reason is at the beginning. */
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
 * Reads the message of a text or HTML body as one line. For HTML, this is the title of the page, or its text without a title.
 *
 * @returns null for other bodies, such as cut JSON or compressed bytes
 */
export function readableText(body: Buffer): string | null {
  const text = body.toString('utf8', 0, maxBytes)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: only binary data has them
  if (/^\s*[[{"]|[\0-\x08\x0e-\x1f\x7f]|\ufffd./.test(text)) return null
  const words = /^\s*</.test(text) ? wordsOf(text) : text
  return words.replace(/\s+/g, ' ').trim().slice(0, maxText) || null
}

/** Reads the text of HTML in one pass. A regular expression for tags would take quadratic time. */
function wordsOf(html: string): string {
  let words = ''
  let hidden: string | null = null
  for (const piece of html.split('<').slice(1)) {
    const end = piece.indexOf('>')
    const tag = /^\/?[a-z]+/i.exec(piece)?.[0].toLowerCase()
    const text = end < 0 ? '' : piece.slice(end + 1)
    if (hidden !== null && tag !== `/${hidden}`) continue
    hidden = tag === 'script' || tag === 'style' ? tag : null
    if (tag === 'title' && text.trim() !== '') return decoded(text)
    if (hidden === null) words += ` ${text}`
  }
  return decoded(words)
}

function decoded(text: string): string {
  return text.replace(/&(#?\w{1,8});/g, (whole, name: string) => entities[name.toLowerCase()] ?? whole)
}
