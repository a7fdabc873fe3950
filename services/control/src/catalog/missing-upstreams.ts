import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'

/** Upstreams that models are routed to, but that are not in a set; with the models, sorted. */
export function findMissingUpstreams({ models }: Catalog, known: ReadonlySet<string>): Map<string, string[]> {
  const missing = new Map<string, string[]>()
  for (const [name, { route }] of Object.entries(models)) {
    for (const upstream of new Set(route.map((target) => target.upstream))) {
      if (!known.has(upstream)) missing.set(upstream, [...(missing.get(upstream) ?? []), name])
    }
  }
  return new Map([...missing].sort(([one], [other]) => (one < other ? -1 : 1)))
}
