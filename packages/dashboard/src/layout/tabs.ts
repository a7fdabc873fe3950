/** All tabs of a browser share one session, so each tab must learn of changes that another one makes. */
export const sessionChannel = new BroadcastChannel('session')

/** Tells the other tabs that the signed-in user or their account has changed. */
export function tellOtherTabs(): void {
  sessionChannel.postMessage(null)
}
