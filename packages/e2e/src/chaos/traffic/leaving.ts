import { send } from '../../metering/ask.ts'
import { patienceMs } from './sent.ts'

/** When the client of a stream hangs up. */
export const leavings = ['before the first word', 'at the first word', 'at random', 'before the usage'] as const
export type Leaving = (typeof leavings)[number]

/** It has come to the head of the answer by then, and a model that reasons to nothing more. */
const beforeFirstMs = 150
const mostChunks = 12

/**
 * Asks for a stream, and hangs up.
 *
 * @returns `left`; the status of a refusal; `ended` for a stream that was over before
 */
export async function askAndLeave(gateway: string, secret: string, body: object, leaving: Leaving): Promise<string> {
  const hangUp = new AbortController()
  const signal = AbortSignal.any([hangUp.signal, AbortSignal.timeout(patienceMs)])
  const response = await send(gateway, secret, { ...body, stream: true }, { signal })
  if (response.status !== 200) {
    await response.body?.cancel()
    return String(response.status)
  }
  const timer = leaving === 'before the first word' ? setTimeout(() => hangUp.abort(), beforeFirstMs) : undefined
  const chunks = Math.ceil(Math.random() * mostChunks)
  try {
    let text = ''
    for await (const bytes of response.body!) {
      text += Buffer.from(bytes).toString('latin1')
      if (isTimeToLeave(leaving, text, chunks)) {
        hangUp.abort()
        return 'left'
      }
    }
    return 'ended'
  } catch (error) {
    if (hangUp.signal.aborted) return 'left'
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function isTimeToLeave(leaving: Leaving, text: string, chunks: number): boolean {
  switch (leaving) {
    case 'before the first word':
      return false
    case 'at the first word':
      return /"content":"[^"]/.test(text)
    case 'at random':
      return text.split('\n\n').length > chunks
    case 'before the usage':
      return /"finish_reason":"/.test(text)
  }
}
