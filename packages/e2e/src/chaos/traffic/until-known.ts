import { setTimeout as delay } from 'node:timers/promises'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { rawChat } from './raw-chat.ts'

const limitMs = 60_000
const lookEveryMs = 100
const question = { model: 'quick', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }

/** Resolves when every gateway knows what holds for a key. @throws Error after a minute */
export async function untilKnown({ gateways }: ChaosSystem, secret: string): Promise<void> {
  const deadline = performance.now() + limitMs
  for (const { url } of gateways) {
    for (;;) {
      const { outcome } = await rawChat(url, { secret, account: '' }, question)
      if (!outcome.startsWith('503')) break
      if (performance.now() > deadline) throw new Error(`after ${limitMs / 1000} s a key is still told ${outcome}`)
      await delay(lookEveryMs)
    }
  }
}
