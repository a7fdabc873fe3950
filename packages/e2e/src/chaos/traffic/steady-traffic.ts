import type { ChaosSystem } from '../system/chaos-system.ts'
import { apiOf, questionTo } from './questions.ts'
import { rawAsk } from './raw-chat.ts'
import { sdkAsk } from './sdk-ask.ts'
import { type Sent, sendSteadily } from './send-steadily.ts'

const rawPerSecond = 20
const sdkPerSecond = 10
const maxWords = 12

export interface SteadyTraffic {
  /** Directly to each gateway in turn, without retries. */
  readonly raw: readonly Sent[]
  /** Through the load balancer, with the official SDKs and their default retries. */
  readonly sdk: readonly Sent[]
  stop(): Promise<void>
}

/** Sends requests of all APIs with keys of many accounts, alternating streams and single bodies. Only a fault can cause a refusal. */
export function startSteadyTraffic({ accounts, gateways, balancer }: ChaosSystem): SteadyTraffic {
  const raw: Sent[] = []
  const sdk: Sent[] = []
  const someKey = () => {
    const { keys } = accounts[Math.floor(Math.random() * accounts.length)]!
    return keys[Math.floor(Math.random() * keys.length)]!
  }
  const words = () => 1 + Math.floor(Math.random() * maxWords)
  const loops = [
    sendSteadily(rawPerSecond, async (number) => {
      const api = apiOf(number)
      const body = questionTo(api, { model: 'steady', stream: number % 2 === 0, text: `Say ${words()} words.` })
      raw.push(await rawAsk(gateways[number % gateways.length]!.url, someKey(), api, body))
    }),
    sendSteadily(sdkPerSecond, async (number) => {
      sdk.push(await sdkAsk(apiOf(number), `http://127.0.0.1:${balancer.port}`, someKey(), words(), number % 2 === 0))
    })
  ]
  return {
    raw,
    sdk,
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    }
  }
}
