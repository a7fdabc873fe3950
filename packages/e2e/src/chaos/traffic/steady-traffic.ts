import type { ChaosSystem } from '../system/chaos-system.ts'
import { rawChat } from './raw-chat.ts'
import { sdkChat } from './sdk-chat.ts'
import { type Sent, sendSteadily } from './send-steadily.ts'

const rawPerSecond = 20
const sdkPerSecond = 10
const maxWords = 12

export interface SteadyTraffic {
  /** Directly to each gateway in turn, without retries. */
  readonly raw: readonly Sent[]
  /** Through the load balancer, with the official SDK and its default retries. */
  readonly sdk: readonly Sent[]
  stop(): Promise<void>
}

/** Sends requests with keys of many accounts, alternating streams and single bodies. Only a fault can cause a refusal. */
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
      const messages = [{ role: 'user', content: `Say ${words()} words.` }]
      const body = { model: 'steady', stream: number % 2 === 0, messages }
      raw.push(await rawChat(gateways[number % gateways.length]!.url, someKey(), body))
    }),
    sendSteadily(sdkPerSecond, async (number) => {
      sdk.push(await sdkChat(`http://127.0.0.1:${balancer.port}`, someKey(), words(), number % 2 === 0))
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
