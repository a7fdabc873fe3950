import { setTimeout as delay } from 'node:timers/promises'
import { modelOf } from '../measure/usage.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import type { SeededKey } from '../system/seed.ts'
import { rawChat } from './raw-chat.ts'
import { countOutcomes, type Sent } from './sent.ts'

const lookEveryMs = 20
const body = {
  model: 'watched',
  stream: true,
  max_tokens: 300,
  messages: [{ role: 'user', content: 'Say 300 words.' }]
}

/**
 * Sends calls by all gateways, and does something when each of them is with the model server or refused, and none is
 * answered: the answers come afterwards.
 *
 * @returns how often they ended in which way
 */
export async function during(
  system: ChaosSystem,
  key: SeededKey,
  count: number,
  act: () => Promise<void>
): Promise<ReadonlyMap<string, number>> {
  const { gateways, models } = system
  const since = models.requests().at(-1)?.sequence ?? 0
  const release = system.holdAnswers()
  try {
    const ended: Sent[] = []
    const calls = Array.from({ length: count }, async (_, number) => {
      ended.push(await rawChat(gateways[number % gateways.length]!.url, key, body))
    })
    const begun = () => models.requests({ since }).filter((request) => modelOf(request) === 'watched').length
    while (begun() + ended.length < count) await delay(lookEveryMs)
    await act()
    release()
    await Promise.all(calls)
    return countOutcomes(ended)
  } finally {
    release()
  }
}
