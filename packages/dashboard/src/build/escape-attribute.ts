/** Escapes text for an attribute of HTML in double quotes. */
export const escapeAttribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
