import type { ChaosSystem } from '../system/chaos-system.ts'
import { steadily } from './sent.ts'

const perSecond = 2

export type Creations = {
  /** Secrets of keys whose creation was acknowledged: none of them may be lost. */
  readonly created: readonly string[]
  /** How often creations ended in which way. */
  readonly outcomes: ReadonlyMap<string, number>
  stop(): Promise<void>
}

/** Creates keys all the time, by each replica of control in turn. */
export function startCreations({ people }: ChaosSystem): Creations {
  const created: string[] = []
  const outcomes = new Map<string, number>()
  const loop = steadily(perSecond, async (number) => {
    const outcome = await people[number % people.length]!.createKey('created meanwhile').then(
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
