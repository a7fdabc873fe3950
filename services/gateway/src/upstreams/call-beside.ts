import { Agent } from 'undici'
import type { ModelsCall } from './upstreams.ts'

/** A call of an upstream that no client waits for as an answer. Never log it. */
export interface BesideCall {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Bytes of the answer that are read. The rest is left. */
  readonly maxBytes: number
}

/**
 * Calls an upstream by a connection of its own, beside those of its requests.
 *
 * @throws an error of the connection, or the reason of the signal. It may have the address, whose query may contain a
 * key: see `codeOfCall`
 */
export async function callBeside(
  { ca }: Pick<ModelsCall, 'ca'>,
  { method, url: { origin, pathname, search }, headers, body, maxBytes }: BesideCall,
  signal: AbortSignal
): Promise<{ readonly status: number; readonly bytes: Buffer }> {
  const agent = new Agent({ allowH2: true, connect: ca === undefined ? {} : { ca } })
  try {
    const call = { origin, path: pathname + search, method, headers, signal }
    const answer = await agent.request(body === undefined ? call : { ...call, body })
    return { status: answer.statusCode, bytes: await readStart(answer.body, maxBytes) }
  } finally {
    await agent.destroy()
  }
}

/** What may be logged of the error of such a call. */
export function codeOfCall(error: unknown): string {
  const { code, name } = error as { code?: unknown; name: string }
  // That of an ended signal is a number.
  return typeof code === 'string' ? code : name
}

/** Reads the first bytes of a body, and ends it. */
async function readStart(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= maxBytes) break
  }
  return Buffer.concat(chunks)
}
