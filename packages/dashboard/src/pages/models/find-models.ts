import type { Answer } from '../../api/call.ts'

export type PricedModel = Answer<'listPricedModels'>['models'][number]

export const shownOptions = [
  ['own', 'In your plan'],
  ['other', 'In other plans'],
  ['all', 'All']
] as const
export type Shown = (typeof shownOptions)[number][0]

/** The models whose id, aliases, maker, kind or endpoint has each typed word. */
export function findModels(models: readonly PricedModel[], typed: string, shown: Shown): PricedModel[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return models.filter(({ id, aliases, owned_by, kind, accepts, endpoints, is_included }) => {
    if (shown !== 'all' && is_included !== (shown === 'own')) return false
    const text = [id, ...aliases, owned_by, kind, ...accepts, ...(endpoints ?? [])].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
