import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { SeededKey } from '../system/seed.ts'
import type { SpokenApi } from './questions.ts'
import { requestTimeoutMs, type Sent, unanswered } from './send-steadily.ts'

const model = 'steady'
const maxTokens = 1000

/** Sends a question with the official SDK of its API and its default retries. Never throws. */
export async function sdkAsk(
  api: SpokenApi,
  gateway: string,
  { secret, account }: SeededKey,
  words: number,
  isStream: boolean
): Promise<Sent> {
  const sentAt = performance.now()
  const finish = (outcome: string): Sent => ({ sentAt, answeredAt: performance.now(), outcome, account, id: null })
  const text = `Say ${words} words.`
  try {
    if (api === 'messages') await askAnthropic(gateway, secret, text, isStream)
    else await askOpenAI(api, gateway, secret, text, isStream)
    return finish('200')
  } catch (error) {
    if (error instanceof OpenAI.APIConnectionTimeoutError || error instanceof Anthropic.APIConnectionTimeoutError) {
      return finish(unanswered)
    }
    // The SDKs have no error class for a stream that breaks off.
    if (error instanceof OpenAI.APIError && error.status !== undefined) return finish(`${error.status} ${error.code}`)
    if (error instanceof Anthropic.APIError && error.status !== undefined) {
      return finish(`${error.status} ${codeOf(error.error)}`)
    }
    return finish('broken')
  }
}

async function askOpenAI(
  api: 'chat' | 'responses',
  gateway: string,
  apiKey: string,
  text: string,
  isStream: boolean
): Promise<void> {
  const client = new OpenAI({ baseURL: `${gateway}/v1`, apiKey, timeout: requestTimeoutMs })
  const chat = { model, messages: [{ role: 'user' as const, content: text }] }
  if (api === 'responses') {
    if (!isStream) await client.responses.create({ model, input: text })
    else for await (const _event of await client.responses.create({ model, input: text, stream: true }));
  } else if (!isStream) await client.chat.completions.create(chat)
  else for await (const _chunk of await client.chat.completions.create({ ...chat, stream: true }));
}

async function askAnthropic(gateway: string, apiKey: string, text: string, isStream: boolean): Promise<void> {
  const client = new Anthropic({ baseURL: gateway, apiKey, timeout: requestTimeoutMs })
  const question = { model, max_tokens: maxTokens, messages: [{ role: 'user' as const, content: text }] }
  if (!isStream) await client.messages.create(question)
  else for await (const _event of await client.messages.create({ ...question, stream: true }));
}

/** Our code in an error of Anthropic's API. */
const codeOf = (body: unknown): unknown =>
  (body as { error?: { details?: { error_code?: string } } } | undefined)?.error?.details?.error_code
