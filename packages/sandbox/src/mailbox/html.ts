const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0' }

/** Escapes text for HTML elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** Decodes the entities that {@link escapeHtml} and Go's html/template write. Others stay. */
export function unescapeHtml(html: string): string {
  return html.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|nbsp));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return named[String(name).toLowerCase()] ?? entity
    const codePoint = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : entity
  })
}

/** Converts a mail's HTML to text. The URL of each link follows its text. */
export function htmlToText(html: string): string {
  const marked = html
    .replace(/<(title|style|script|head)\b[\s\S]*?<\/\1>/gi, '')
    .replace(/<a\b[^>]*?\bhref="([^"]*)"[^>]*>([\s\S]*?)<\/a>/gi, '$2 ( $1 )')
    .replace(/<(?:br|\/p|\/h\d|\/div|\/tr|\/li)\b[^>]*>/gi, '\n')
    .replace(/<[^>]*>/g, '')
  const lines = unescapeHtml(marked)
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Finds the `http` and `https` links in HTML, in order and once each. */
export function linksOf(html: string): string[] {
  const addresses = [...html.matchAll(/<a\b[^>]*?\bhref="([^"]*)"/gi)].map(([, href = '']) => unescapeHtml(href))
  return [...new Set(addresses.filter((address) => /^https?:\/\//i.test(address)))]
}
