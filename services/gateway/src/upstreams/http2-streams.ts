import { subscribe } from 'node:diagnostics_channel'
import type { ClientHttp2Stream } from 'node:http2'

/**
 * undici hides the HTTP/2 streams of its calls. Node.js ends a stream that was reset with NO_ERROR or CANCEL like a complete one. So
 * this file learns of streams and their resets from Node.js' diagnostics channels.
 */
let onOpened: ((stream: ClientHttp2Stream) => void) | null = null
const resetEarly = new WeakSet<ClientHttp2Stream>()

/** Calls `told` with the next HTTP/2 stream that this process opens. A later call replaces it. */
export function onNextStream(told: (stream: ClientHttp2Stream) => void): void {
  onOpened = told
}

/** Whether a stream closed before the other side ended it. */
export function wasReset(stream: ClientHttp2Stream): boolean {
  return resetEarly.has(stream)
}

subscribe('http2.client.stream.created', (message) => {
  const told = onOpened
  onOpened = null
  told?.((message as { stream: ClientHttp2Stream }).stream)
})

subscribe('http2.client.stream.close', (message) => {
  const { stream } = message as { stream: ClientHttp2Stream }
  if (!hasEnded(stream)) resetEarly.add(stream)
})

/**
 * Whether the end of a stream has arrived. No public API says so: `readableEnded` changes later, and `state.remoteClose` is 1 after
 * a reset, too.
 */
function hasEnded(stream: ClientHttp2Stream): boolean {
  const { _readableState: state } = stream as ClientHttp2Stream & { _readableState?: { ended: boolean } }
  return state?.ended !== false
}
