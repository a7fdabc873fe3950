/** All tabs of a browser share one session, so each tab must learn of changes that another one makes. */
export const sessionChannel = new BroadcastChannel('session')

/** Tells the other tabs that the signed-in user or their account has changed. */
export function tellOtherTabs(): void {
  sessionChannel.postMessage(null)
}

/**
 * The text of the playground's conversation that outlasts a reload of this tab. Signing out forgets it. Browsers can
 * forbid storage; a reload then ends the conversation.
 */
const entry = 'playground'

export function readKeptChat(): string | null {
  try {
    return sessionStorage.getItem(entry)
  } catch {
    return null
  }
}

export function keepChat(text: string): void {
  try {
    sessionStorage.setItem(entry, text)
  } catch {
    // Forbidden, or more than a browser stores.
    forgetKeptChat()
  }
}

export function forgetKeptChat(): void {
  try {
    sessionStorage.removeItem(entry)
  } catch {
    // Nothing is kept then.
  }
}
