/** Who listened to events of this process before this module was loaded. */
const before = new Map(
  (['SIGINT', 'SIGTERM', 'beforeExit', 'unhandledRejection'] as const).map((event) => [
    event,
    process.rawListeners(event)
  ])
)

/** Removes who listens since then: OpenAI's Agents SDK does, as soon as it is loaded. */
export function restoreListeners(): void {
  for (const [event, listeners] of before) {
    for (const listener of process.rawListeners(event)) {
      if (!listeners.includes(listener)) process.off(event, listener as () => void)
    }
  }
}
