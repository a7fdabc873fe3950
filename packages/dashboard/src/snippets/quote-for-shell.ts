/** Quotes a text for a shell. In single quotes, it treats only the single quote itself specially. */
export const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
