import type { RequestRecorder } from './request-recorder.ts'

export interface RecorderAnswer {
  readonly status: number
  /** Bytes are sent unchanged, other values as JSON. */
  readonly body: object | Buffer
}

/**
 * The recorded requests over HTTP, for tests in other processes. It needs no API key, because it listens on 127.0.0.1.
 *
 * - `GET /sandbox/requests?since=<sequence>&id=<id or x-request-id>` → `{ requests: [...] }`, oldest first
 * - `GET /sandbox/requests/<id>/body` → the bytes of the body
 * - `DELETE /sandbox/requests` → deletes all records
 */
export function askRecorder(
  method: string,
  { pathname, searchParams }: URL,
  recorder: RequestRecorder
): RecorderAnswer {
  const [, id] = /^\/sandbox\/requests\/([^/]+)\/body$/.exec(pathname) ?? []
  if (method === 'GET' && id !== undefined) {
    return {
      status: recorder.body(id) === null ? 404 : 200,
      body: recorder.body(id) ?? { error: 'This body is not recorded.' }
    }
  }
  if (method === 'GET' && pathname === '/sandbox/requests') {
    const since = Number(searchParams.get('since') ?? 0)
    if (!Number.isSafeInteger(since)) return { status: 400, body: { error: 'since should be a sequence number.' } }
    const asked = searchParams.get('id')
    return { status: 200, body: { requests: recorder.list(asked === null ? { since } : { since, id: asked }) } }
  }
  if (method === 'DELETE' && pathname === '/sandbox/requests') {
    recorder.clear()
    return { status: 200, body: { requests: [] } }
  }
  return { status: 404, body: { error: `There is no ${method} ${pathname}.` } }
}
