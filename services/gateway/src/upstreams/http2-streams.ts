import { subscribe } from 'node:diagnostics_channel'
import type { ClientHttp2Stream } from 'node:http2'

/**
 * undici hides the HTTP/2 streams of its calls, and Node ends a stream that was reset with NO_ERROR or CANCEL like a whole
 * one. So both are taken from Node's diagnostics channels.
 */
let onOpened: ((stream: ClientHttp2Stream) => void) | null = null
const resetEarly = new WeakSet<ClientHttp2Stream>()

/** Calls `told` with the HTTP/2 stream that this process opens next. A later call replaces it. */
export function onNextStream(told: (stream: ClientHttp2Stream) => void): void {
  onOpened = told
}

/** Whether a stream was closed before the other side had ended it. */
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
 * Whether the end of a stream has come. Nothing public tells: `readableEnded` follows later, and `state.remoteClose` is 1 for
 * a reset, too.
 */
function hasEnded(stream: ClientHttp2Stream): boolean {
  const { _readableState: state } = stream as ClientHttp2Stream & { _readableState?: { ended: boolean } }
  return state?.ended !== false
}
