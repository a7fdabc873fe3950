import type { ApiName } from '@tollgate/contracts/catalog/apis.ts'
import type { StatusResponse } from '@tollgate/contracts/http/status.ts'
import type { LiveCatalog } from '../catalog/live-catalog.ts'
import type { Clock } from '../clocks/clock.ts'
import { describeSite, type SiteFacts } from './site-facts.ts'

/** After this time, facts are read again: gateways may offer other models, and dated prices may begin. */
const maxAgeMs = 15_000

export interface SourceOptions {
  readonly catalog: Pick<LiveCatalog, 'models' | 'plans' | 'priceGroups' | 'providers' | 'version'>
  /** Models that no running gateway offers. Never throws. */
  readonly leftOutModels: () => Promise<ReadonlySet<string>>
  /** The APIs of each upstream; null if they are not known. Never throws. */
  readonly spokenApis: () => Promise<ReadonlyMap<string, ReadonlySet<ApiName>> | null>
  /** What gateways measured, and what the operator announces. Never throws. */
  readonly status: () => Promise<StatusResponse>
  readonly clock: Clock
}

interface Read {
  readonly version: number | null
  readonly at: number
  readonly facts: Promise<SiteFacts>
}

/**
 * Follows what public pages show. A new catalog counts at once. As long as nothing changes, the result is the same
 * object, so that rendered pages can be kept.
 */
export function createSiteSource({
  catalog,
  leftOutModels,
  spokenApis,
  status,
  clock
}: SourceOptions): () => Promise<SiteFacts> {
  let last: Read | null = null
  /** What gateways offer. It stays as it was while none is known, such as without Redis: the same is sold then. */
  let offered: Pick<Parameters<typeof describeSite>[1], 'leftOut' | 'spoken'> = { leftOut: new Set(), spoken: null }
  let kept: { readonly text: string; readonly facts: SiteFacts } | null = null

  async function read(now: Date): Promise<SiteFacts> {
    const [leftOut, spoken, { now: _, ...measured }] = await Promise.all([leftOutModels(), spokenApis(), status()])
    if (spoken !== null || leftOut.size > 0) offered = { leftOut, spoken: spoken ?? offered.spoken }
    const { models, plans, priceGroups = {}, providers = {} } = catalog
    const facts = describeSite({ models, plans, priceGroups, providers }, { ...offered, now, status: measured })
    const text = JSON.stringify(facts, (_, value) => (value instanceof Set ? [...value] : value))
    if (kept === null || kept.text !== text) kept = { text, facts }
    return kept.facts
  }

  return () => {
    const now = clock()
    const { version } = catalog
    const age = last === null ? 0 : now.getTime() - last.at
    if (last === null || last.version !== version || age >= maxAgeMs || age < 0) {
      last = { version, at: now.getTime(), facts: read(now) }
      // A failed read is not remembered.
      const own = last
      own.facts.catch(() => {
        if (last === own) last = null
      })
    }
    return last.facts
  }
}
