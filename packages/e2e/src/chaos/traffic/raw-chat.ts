import { ask } from '../../metering/ask.ts'
import type { SeededKey } from '../system/seed.ts'
import { patienceMs, type Sent, unanswered } from './sent.ts'

export type Refusal = { code: string; message: string } & Record<string, unknown>

/** A chat without the help of an SDK: what the gateway answers is what is told. Never throws. */
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
    const { status, text, error } = await ask(gateway, secret, body, { signal: AbortSignal.timeout(patienceMs) })
    if (error !== null) return finish(`${status} ${error.code}`, error)
    const isStream = 'stream' in body && body.stream === true
    return finish(isStream && !text.endsWith('data: [DONE]\n\n') ? `broken${codeIn(text)}` : '200')
  } catch (error) {
    const isUnanswered = error instanceof Error && error.name === 'TimeoutError'
    return finish(isUnanswered ? unanswered : 'broken')
  }
}

/** The code of an error within a stream, after a space. */
function codeIn(stream: string): string {
  const code = /"code":"(\w+)"/.exec(stream)?.[1]
  return code === undefined ? '' : ` ${code}`
}
