import OpenAI from 'openai'
import type { SeededKey } from '../system/seed.ts'
import { patienceMs, type Sent, unanswered } from './sent.ts'

/** A chat with the official SDK as people use it: it tries again by itself, as often and as late as it likes. Never throws. */
export async function sdkChat(
  gateway: string,
  { secret, account }: SeededKey,
  words: number,
  isStream: boolean
): Promise<Sent> {
  const sentAt = performance.now()
  const finish = (outcome: string): Sent => ({ sentAt, answeredAt: performance.now(), outcome, account })
  const client = new OpenAI({ baseURL: `${gateway}/v1`, apiKey: secret, timeout: patienceMs })
  const question = { model: 'steady', messages: [{ role: 'user' as const, content: `Say ${words} words.` }] }
  try {
    if (!isStream) await client.chat.completions.create(question)
    else for await (const _chunk of await client.chat.completions.create({ ...question, stream: true }));
    return finish('200')
  } catch (error) {
    if (error instanceof OpenAI.APIConnectionTimeoutError) return finish(unanswered)
    // A stream that breaks off is not an error of the SDK.
    const isAnswer = error instanceof OpenAI.APIError && error.status !== undefined
    return finish(isAnswer ? `${error.status} ${error.code}` : 'broken')
  }
}
