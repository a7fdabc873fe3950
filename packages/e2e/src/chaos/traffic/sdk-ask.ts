import OpenAI from 'openai'
import type { SeededKey } from '../system/seed.ts'
import { requestTimeoutMs, type Sent, unanswered } from './send-steadily.ts'

/** Sends a chat with the official SDK and its default retries. Never throws. */
export async function sdkChat(
  gateway: string,
  { secret, account }: SeededKey,
  words: number,
  isStream: boolean
): Promise<Sent> {
  const sentAt = performance.now()
  const finish = (outcome: string): Sent => ({ sentAt, answeredAt: performance.now(), outcome, account })
  const client = new OpenAI({ baseURL: `${gateway}/v1`, apiKey: secret, timeout: requestTimeoutMs })
  const question = { model: 'steady', messages: [{ role: 'user' as const, content: `Say ${words} words.` }] }
  try {
    if (!isStream) await client.chat.completions.create(question)
    else for await (const _chunk of await client.chat.completions.create({ ...question, stream: true }));
    return finish('200')
  } catch (error) {
    if (error instanceof OpenAI.APIConnectionTimeoutError) return finish(unanswered)
    // The SDK has no error class for a stream that breaks off.
    const isAnswer = error instanceof OpenAI.APIError && error.status !== undefined
    return finish(isAnswer ? `${error.status} ${error.code}` : 'broken')
  }
}
