import { type Outcome, postEmpty } from './get.ts'

/**
 * Sends nothing to a collector. An empty body is a valid request of OTLP over HTTP in protobuf.
 *
 * @param headers as in `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,…`, percent-encoded
 */
export function readCollector(url: URL, headers: string, timeoutMs: number): Promise<Outcome> {
  return postEmpty(url, {
    headers: { ...parseHeaders(headers), 'content-type': 'application/x-protobuf', 'content-length': '0' },
    timeoutMs
  })
}

function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([!-~]*)\s*$/.exec(pair) ?? []
    return name === undefined || value === undefined ? [] : [[name, decode(value)] as const]
  })
  return Object.fromEntries(pairs)
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
