import { attributes } from './attribute-names.ts'
import type { SpanAttributes } from './tracing.ts'

/** The server that a call goes to, for its span. OpenTelemetry writes IPv6 addresses without brackets. */
export function serverAttributes({ hostname, port, protocol }: URL): SpanAttributes {
  return {
    [attributes.serverAddress]: hostname.replace(/^\[|\]$/g, ''),
    [attributes.serverPort]: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  }
}
