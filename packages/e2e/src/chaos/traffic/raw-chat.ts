import { ask } from '../../metering/ask.ts'
import { clientApis } from '../../metering/client-apis.ts'
import type { SeededKey } from '../system/seed.ts'
import type { SpokenApi } from './questions.ts'
import { requestTimeoutMs, type Sent, unanswered } from './send-steadily.ts'

export type Refusal = { code: string; message: string } & Record<string, unknown>

/** Sends a chat without an SDK and reports the gateway's own answer. Never throws. */
export const rawChat = (
  gateway: string,
  key: Pick<SeededKey, 'secret' | 'account'>,
  body: object
): ReturnType<typeof rawAsk> => rawAsk(gateway, key, 'chat', body)

/** The same in any API. */
export async function rawAsk(
  gateway: string,
  { secret, account }: Pick<SeededKey, 'secret' | 'account'>,
  api: SpokenApi,
  body: object
): Promise<Sent & { refusal: Refusal | null }> {
  const sentAt = performance.now()
  let id: string | null = null
  const finish = (outcome: string, refusal: Refusal | null = null) => ({
    ...{ sentAt, answeredAt: performance.now(), outcome, account, id },
    refusal
  })
  try {
    const signal = AbortSignal.timeout(requestTimeoutMs)
    const { status, headers, text, error } = await ask(gateway, secret, body, { api, signal })
    id = headers.get('x-request-id')
    if (error !== null) return finish(`${status} ${error.code}`, error)
    const isStream = 'stream' in body && body.stream === true
    return finish(isStream && !clientApis[api].end.test(text) ? `broken${codeIn(text)}` : '200')
  } catch (error) {
    const isUnanswered = error instanceof Error && error.name === 'TimeoutError'
    return finish(isUnanswered ? unanswered : 'broken')
  }
}

/** A space and the code of an error event in a stream; empty without one. */
function codeIn(stream: string): string {
  const code = /"(?:error_)?code":"(\w+)"/.exec(stream)?.[1]
  return code === undefined ? '' : ` ${code}`
}
