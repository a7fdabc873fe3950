import { subscribe } from 'node:diagnostics_channel'
import type { ClientHttp2Stream } from 'node:http2'

/**
 * undici hides the HTTP/2 streams of its calls, and Node.js ends a stream reset with NO_ERROR or CANCEL like a complete one. So this
 * file reads streams and their resets from Node.js' diagnostics channels.
 */
let onOpened: ((stream: ClientHttp2Stream) => void) | null = null
const resetEarly = new WeakSet<ClientHttp2Stream>()

/** Calls `listener` with the next HTTP/2 stream of this process. A later call replaces the listener. */
export function onNextStream(listener: (stream: ClientHttp2Stream) => void): void {
  onOpened = listener
}

/** Whether a stream closed before the other side ended it. */
export function wasReset(stream: ClientHttp2Stream): boolean {
  return resetEarly.has(stream)
}

subscribe('http2.client.stream.created', (message) => {
  const listener = onOpened
  onOpened = null
  listener?.((message as { stream: ClientHttp2Stream }).stream)
})

subscribe('http2.client.stream.close', (message) => {
  const { stream } = message as { stream: ClientHttp2Stream }
  if (!hasEnded(stream)) resetEarly.add(stream)
})

/**
 * Whether the end of a stream arrived. No public API tells this: `readableEnded` changes later, and `state.remoteClose` is also 1
 * after a reset.
 */
function hasEnded(stream: ClientHttp2Stream): boolean {
  const { _readableState: state } = stream as ClientHttp2Stream & { _readableState?: { ended: boolean } }
  return state?.ended !== false
}
