import type { ChaosSystem } from '../system/chaos-system.ts'
import { sendSteadily } from './send-steadily.ts'

const perSecond = 2

export interface Creations {
  /** Secrets of acknowledged keys. None may be lost. */
  readonly created: readonly string[]
  /** Outcome → number of creations. */
  readonly outcomes: ReadonlyMap<string, number>
  stop(): Promise<void>
}

/** Creates keys continuously, through each replica of control in turn. */
export function startCreations({ people }: ChaosSystem): Creations {
  const created: string[] = []
  const outcomes = new Map<string, number>()
  const loop = sendSteadily(perSecond, async (number) => {
    const outcome = await people[number % people.length]!.createKey('created during a fault').then(
      ({ status, body }) => {
        if (status === 201) created.push(body.key.value)
        return 'error' in body ? `${status} ${(body.error as { code: string }).code}` : String(status)
      },
      () => 'broken'
    )
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  })
  return { created, outcomes, stop: loop.stop }
}
