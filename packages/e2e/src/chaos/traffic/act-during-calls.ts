import { setTimeout as delay } from 'node:timers/promises'
import { modelOf } from '../system/catalog.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import type { SeededKey } from '../system/seed.ts'
import { apiOf, questionTo } from './questions.ts'
import { rawAsk } from './raw-chat.ts'
import { countOutcomes, type Sent } from './send-steadily.ts'

const pollMs = 20
const question = { model: 'watched', stream: true, maxTokens: 300, text: 'Say 300 words.' }

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
      const api = apiOf(number * 2)
      ended.push(await rawAsk(gateways[number % gateways.length]!.url, key, api, questionTo(api, question)))
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
