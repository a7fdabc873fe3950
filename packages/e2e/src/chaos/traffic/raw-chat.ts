import { ask } from '../../metering/ask.ts'
import type { SeededKey } from '../system/seed.ts'
import { requestTimeoutMs, type Sent, unanswered } from './send-steadily.ts'

export type Refusal = { code: string; message: string } & Record<string, unknown>

/** Sends a chat without an SDK and reports the gateway's own answer. Never throws. */
export async function rawChat(
  gateway: string,
  { secret, account }: Pick<SeededKey, 'secret' | 'account'>,
  body: object
): Promise<Sent & { refusal: Refusal | null }> {
  const sentAt = performance.now()
  const finish = (outcome: string, refusal: Refusal | null = null) => ({
    sentAt,
    answeredAt: performance.now(),
    outcome,
    account,
    refusal
  })
  try {
    const { status, text, error } = await ask(gateway, secret, body, { signal: AbortSignal.timeout(requestTimeoutMs) })
    if (error !== null) return finish(`${status} ${error.code}`, error)
    const isStream = 'stream' in body && body.stream === true
    return finish(isStream && !text.endsWith('data: [DONE]\n\n') ? `broken${codeIn(text)}` : '200')
  } catch (error) {
    const isUnanswered = error instanceof Error && error.name === 'TimeoutError'
    return finish(isUnanswered ? unanswered : 'broken')
  }
}

/** A space and the code of an error event in a stream; empty without one. */
function codeIn(stream: string): string {
  const code = /"code":"(\w+)"/.exec(stream)?.[1]
  return code === undefined ? '' : ` ${code}`
}
