/**
 * Texts that outlast a reload of this tab. Signing out forgets them. Browsers can forbid storage; a text then lasts as
 * long as its page.
 */
const keptText = (entry: string) => {
  const forget = (): void => {
    try {
      sessionStorage.removeItem(entry)
    } catch {
      // Nothing is kept then.
    }
  }
  return {
    read(): string | null {
      try {
        return sessionStorage.getItem(entry)
      } catch {
        return null
      }
    },
    keep(text: string): void {
      try {
        sessionStorage.setItem(entry, text)
      } catch {
        // Forbidden, or more than a browser stores.
        forget()
      }
    },
    forget
  }
}

/** The playground's conversation. */
export const keptChat = keptText('playground')
/** The key that a reader pasted into the docs. */
export const keptKey = keptText('docs-key')

export function forgetKeptTexts(): void {
  keptChat.forget()
  keptKey.forget()
}
