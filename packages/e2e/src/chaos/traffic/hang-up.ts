import { send } from '../../metering/ask.ts'
import { clientApis } from '../../metering/client-apis.ts'
import type { SpokenApi } from './questions.ts'
import { requestTimeoutMs } from './send-steadily.ts'

/** When the client of a stream hangs up. */
export const hangUpMoments = ['before the first word', 'at the first word', 'at random', 'before the usage'] as const
export type HangUpMoment = (typeof hangUpMoments)[number]

/** By then the response headers have arrived, and a reasoning model has sent no text yet. */
const beforeFirstMs = 150
const maxChunks = 12

/**
 * Asks for a stream and hangs up. @param body of a streamed request
 *
 * @returns `hung up`; the status of a refusal; `ended` if the stream ended first
 */
export async function askAndHangUp(
  gateway: string,
  secret: string,
  api: SpokenApi,
  body: object,
  moment: HangUpMoment
): Promise<string> {
  const hangUp = new AbortController()
  const signal = AbortSignal.any([hangUp.signal, AbortSignal.timeout(requestTimeoutMs)])
  const response = await send(gateway, secret, body, { api, signal })
  if (response.status !== 200) {
    await response.body?.cancel()
    return String(response.status)
  }
  const timer = moment === 'before the first word' ? setTimeout(() => hangUp.abort(), beforeFirstMs) : undefined
  const chunks = Math.ceil(Math.random() * maxChunks)
  try {
    let text = ''
    for await (const bytes of response.body!) {
      text += Buffer.from(bytes).toString('latin1')
      if (isTimeToHangUp(moment, api, text, chunks)) {
        hangUp.abort()
        return 'hung up'
      }
    }
    return 'ended'
  } catch (error) {
    if (hangUp.signal.aborted) return 'hung up'
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function isTimeToHangUp(moment: HangUpMoment, api: SpokenApi, text: string, chunks: number): boolean {
  switch (moment) {
    case 'before the first word':
      return false
    case 'at the first word':
      return clientApis[api].firstWord.test(text)
    case 'at random':
      return text.split('\n\n').length > chunks
    case 'before the usage':
      return clientApis[api].finish.test(text)
  }
}
