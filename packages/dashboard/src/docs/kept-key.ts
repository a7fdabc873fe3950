/**
 * The key that a reader pasted into the docs. Only its tab has it, until somebody signs out. Browsers can forbid
 * storage; the key is then only on its page.
 */
const entry = 'docs-key'

export function readKeptKey(): string {
  try {
    return sessionStorage.getItem(entry) ?? ''
  } catch {
    return ''
  }
}

export function keepKey(key: string): void {
  try {
    sessionStorage.setItem(entry, key)
  } catch {
    // See above.
  }
}

export function forgetKey(): void {
  try {
    sessionStorage.removeItem(entry)
  } catch {
    // Nothing is kept then.
  }
}
