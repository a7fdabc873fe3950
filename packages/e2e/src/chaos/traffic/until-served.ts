import { setTimeout as delay } from 'node:timers/promises'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { rawChat } from './raw-chat.ts'

const timeoutMs = 60_000
const pollMs = 100
const question = { model: 'quick', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }

/** Waits until no gateway answers 503 for a key. @throws Error after a minute */
export async function untilServed({ gateways }: ChaosSystem, secret: string): Promise<void> {
  const deadline = performance.now() + timeoutMs
  for (const { url } of gateways) {
    for (;;) {
      const { outcome } = await rawChat(url, { secret, account: '' }, question)
      if (!outcome.startsWith('503')) break
      if (performance.now() > deadline) throw new Error(`after ${timeoutMs / 1000} s a key still gets ${outcome}`)
      await delay(pollMs)
    }
  }
}
