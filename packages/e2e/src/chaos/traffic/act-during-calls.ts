import { setTimeout as delay } from 'node:timers/promises'
import { modelOf } from '../system/catalog.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import type { SeededKey } from '../system/seed.ts'
import { rawChat } from './raw-chat.ts'
import { countOutcomes, type Sent } from './send-steadily.ts'

const pollMs = 20
const body = {
  model: 'watched',
  stream: true,
  max_tokens: 300,
  messages: [{ role: 'user', content: 'Say 300 words.' }]
}

/**
 * Sends calls through all gateways and runs `act` while every call is at the model server or refused. The model server
 * answers afterwards.
 *
 * @returns outcome → number of calls
 */
export async function actDuringCalls(
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
    while (begun() + ended.length < count) await delay(pollMs)
    await act()
    release()
    await Promise.all(calls)
    return countOutcomes(ended)
  } finally {
    release()
  }
}
